/** One line of a folded JSON tree. */
export interface JsonLine {
  /** Where it is: the same for as long as the value has the same shape. */
  readonly path: string;
  readonly depth: number;
  /** A member's name, an item's place; null for the whole value. */
  readonly key: string | number | null;
  readonly value: unknown;
  /** How many members or items it has; null for what has none to show. */
  readonly size: number | null;
  readonly isOpen: boolean;
}

/** Which lines are open: those above a depth, except for those that were switched by hand. */
export interface JsonFolding {
  readonly openDepth: number;
  readonly switched: ReadonlySet<string>;
}

/**
 * The first lines of a value as a folded tree. Only those are made, so that a value of any size and
 * depth costs what is shown of it.
 *
 * @example jsonLines({ a: [1] }, { openDepth: 2, switched: new Set() }, 100) // three lines
 */
export function jsonLines(
  value: unknown,
  { openDepth, switched }: JsonFolding,
  limit: number,
): { readonly lines: readonly JsonLine[]; readonly hasMore: boolean } {
  const lines: JsonLine[] = [];
  // A stack of what is still to be walked: a value may be nested deeper than calls can be.
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
    const isOpen = size !== null && size > 0 && walk.depth < openDepth !== switched.has(path);
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

// As JSON pointers do, so that no two members share a path.
function escaped(key: string | number): string {
  return String(key).replaceAll("~", "~0").replaceAll("/", "~1");
}
