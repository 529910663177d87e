/** Says whether the value at a path is to be hidden. */
export type PathFilter = (path: readonly string[]) => boolean;

type Pattern = readonly string[];

/** The keys (`"password"`) and paths (`"user.email"`, `"messages.*.content"`) that are not recorded. */
export class HiddenKeys {
  readonly #keys: ReadonlySet<string>;
  readonly #paths: readonly Pattern[];
  /** A text without any of them hides nothing; null where no text can be passed over. */
  readonly #needles: readonly string[] | null;
  /**
   * The keys in text that is no JSON, with what stands between a key and its value. Of a path the last
   * key counts, wherever it is: the rest of a path is not to be seen in such a text.
   */
  readonly inText: RegExp;

  constructor(redact: readonly string[]) {
    this.#keys = new Set(redact.filter((path) => !path.includes(".")));
    this.#paths = redact.filter((path) => path.includes(".")).map((path) => path.split("."));
    const ends = [...this.#keys, ...this.#paths.map((path) => path.at(-1) as string)];
    this.#needles = ends.every(isWrittenAsItIs) ? [...new Set(ends)] : null;
    this.inText = textPattern([...this.#keys, ...this.#paths.map(lastName)]);
  }

  /** For a value whose top is known. */
  readonly fromTop: PathFilter = (path) =>
    this.#keys.has(path.at(-1) as string) ||
    this.#paths.some((pattern) => pattern.length === path.length && endsWith(path, pattern));

  /** For attributes of other libraries, where what is meant by the top may be anywhere. */
  readonly anywhere: PathFilter = (path) =>
    this.#keys.has(path.at(-1) as string) || this.#paths.some((pattern) => endsWith(path, pattern));

  /** Whether a part of an attribute's name is a key, or the parts together a path. */
  hidesAttribute(name: string): boolean {
    if (!this.mayBeIn(name)) return false;
    const path = name.split(".");
    return path.some((_part, at) => this.anywhere(path.slice(0, at + 1)));
  }

  /** False where a look for a few words says that there is nothing to hide. */
  mayBeIn(text: string): boolean {
    const needles = this.#needles;
    // JSON may write any letter of a key by its number.
    if (needles === null || text.includes("\\u")) return true;
    // On the path of every call: a callback a word shows there.
    for (const word of needles) if (text.includes(word)) return true;
    return false;
  }
}

function endsWith(path: readonly string[], pattern: Pattern): boolean {
  const before = path.length - pattern.length;
  return before >= 0 && pattern.every((part, at) => part === "*" || part === path[before + at]);
}

/** Whether JSON writes a key as it is. An index of a list is not written at all, nor is a `*`. */
function isWrittenAsItIs(key: string): boolean {
  return key !== "*" && !/^\d+$/.test(key) && JSON.stringify(key) === `"${key}"`;
}

function lastName(path: Pattern): string {
  return path.findLast((part) => part !== "*") ?? "";
}

function textPattern(names: readonly string[]): RegExp {
  const keys = names.filter(Boolean).map((name) => name.replace(/[^\w\s]/g, "\\$&"));
  if (keys.length === 0) return /(?!)/g;
  // Not inside another word; the n of an escaped line break is none.
  const start = String.raw`(?:(?<![\w$-])|(?<=\\[nrt]))`;
  const quote = String.raw`(\\*["'\x60])?`;
  const space = String.raw`(?:\s|\\+[nrt])*`;
  return new RegExp(`${start}(?:${keys.join("|")})${quote}(${space}(?:=>|[:=])${space})`, "g");
}
