/** A node on its way to the screen, with the lines that connect it to its parents before it. */
export interface TreeLine<Node> {
  readonly node: Node;
  /** Before the node's own line: `│  ├─ `. */
  readonly prefix: string;
  /** Before further lines of the same node: `│  │  `. */
  readonly continuation: string;
  /** Levels below the root. */
  readonly depth: number;
}

/**
 * Levels that are drawn as such. Below them a number says how deep a node is: thousands of levels
 * would need thousands of columns, and as much memory for each line.
 */
const DRAWN_LEVELS = 12;

/** The nodes of a tree from the top, each with its lines. A tree may be of any size and depth. */
export function* treeLines<Node>(
  root: Node,
  childrenOf: (node: Node) => readonly Node[],
): Generator<TreeLine<Node>> {
  interface Waiting {
    readonly node: Node;
    readonly depth: number;
    readonly prefix: string;
    /** What the lines of everything below begin with. */
    readonly below: string;
  }
  const stack: Waiting[] = [{ node: root, depth: 0, prefix: "", below: "" }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, depth, prefix, below } = next;
    const children = childrenOf(node);
    yield { node, prefix, depth, continuation: below + (children.length > 0 ? "│  " : "   ") };
    for (const [fromEnd, child] of children.toReversed().entries()) {
      const isLast = fromEnd === 0;
      const level = depth + 1;
      stack.push(
        level <= DRAWN_LEVELS
          ? {
              node: child,
              depth: level,
              prefix: below + (isLast ? "└─ " : "├─ "),
              below: below + (isLast ? "   " : "│  "),
            }
          : { node: child, depth: level, prefix: `${below}[${level}] `, below },
      );
    }
  }
}
