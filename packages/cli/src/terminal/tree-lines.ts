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

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

/** When something happened, in the same unit as the axis. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/**
 * A bar that fills the part of the axis which the interval covers. It is never empty, so that an
 * instant is visible too.
 *
 * @example durationBar({ start: 25, end: 75 }, { start: 0, end: 100 }, 8) // "  ████  "
 */
export function durationBar(interval: Interval, axis: Interval, columns: number): string {
  const length = axis.end - axis.start;
  const at = (time: number) =>
    length > 0 ? Math.min(1, Math.max(0, (time - axis.start) / length)) * columns : 0;
  // Whole columns before it: a block can begin at the left edge of a column only.
  const from = Math.min(Math.floor(at(interval.start)), columns - 1);
  const eighths = Math.max(1, Math.round((at(interval.end) - from) * 8));
  const filled = "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[(eighths % 8) as 0];
  return (" ".repeat(Math.max(0, from)) + filled).padEnd(columns).slice(0, columns);
}
