/** One line of a collapsible JSON tree. */
export interface JsonLine {
  /** A JSON pointer: stable while the shape of the value is. */
  readonly path: string;
  readonly depth: number;
  /** A key or an index; null for the whole value. */
  readonly key: string | number | null;
  readonly value: unknown;
  /** The number of keys or items; null for a scalar. */
  readonly size: number | null;
  readonly isOpen: boolean;
}

/** Which lines are expanded: those above a depth, except for those that the user toggled. */
export interface JsonExpansion {
  readonly openDepth: number;
  readonly toggled: ReadonlySet<string>;
}

/**
 * The first lines of a JSON tree. Only these are created, so that the cost does not depend on the size of
 * the value.
 *
 * @example jsonLines({ a: [1] }, { openDepth: 2, toggled: new Set() }, 100) // three lines
 */
export function jsonLines(
  value: unknown,
  { openDepth, toggled }: JsonExpansion,
  limit: number,
): { readonly lines: readonly JsonLine[]; readonly hasMore: boolean } {
  const lines: JsonLine[] = [];
  // An explicit stack: a value may be nested deeper than the call stack.
  const open: Walk[] = [{ members: [[null, value]].values(), path: "", depth: 0 }];
  for (;;) {
    const walk = open.at(-1);
    if (walk === undefined) return { lines, hasMore: false };
    const { done, value: member } = walk.members.next();
    if (done) {
      open.pop();
      continue;
    }
    if (lines.length === limit) return { lines, hasMore: true };
    const [key, inner] = member as Member;
    const path = key === null ? "" : `${walk.path}/${escaped(key)}`;
    const size = sizeOf(inner);
    const isOpen = size !== null && size > 0 && walk.depth < openDepth !== toggled.has(path);
    lines.push({ path, depth: walk.depth, key, value: inner, size, isOpen });
    if (isOpen) open.push({ members: membersOf(inner), path, depth: walk.depth + 1 });
  }
}

type Member = readonly [string | number | null, unknown];

interface Walk {
  readonly members: Iterator<unknown>;
  readonly path: string;
  readonly depth: number;
}

function sizeOf(value: unknown): number | null {
  if (typeof value !== "object" || value === null) return null;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

function membersOf(value: unknown): Iterator<Member> {
  return Array.isArray(value)
    ? value.entries()
    : Object.entries(value as Record<string, unknown>).values();
}

// As in JSON pointers, so that paths are unique.
function escaped(key: string | number): string {
  return String(key).replaceAll("~", "~0").replaceAll("/", "~1");
}
