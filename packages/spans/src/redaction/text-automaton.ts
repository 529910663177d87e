/**
 * Finds many texts at once, by the algorithm of Aho and Corasick: one pass over the text, however many
 * and however similar they are. Every character of every occurrence is replaced, also where they overlap.
 */
export class TextAutomaton {
  readonly #marks: readonly string[];
  readonly #edges: EdgeTable;
  /** Of each state: where to go on when no edge fits. */
  readonly #fallback: Int32Array;
  /** Of each state: how long the longest text is that ends there; 0 where none does. */
  readonly #length: Int32Array;
  /** Of each state: the mark of that text. */
  readonly #mark: Int32Array;

  /** @param texts Each with what replaces it. None is empty. */
  constructor(texts: readonly (readonly [text: string, mark: string])[]) {
    const most = texts.reduce((sum, [text]) => sum + text.length, 1);
    this.#marks = texts.map(([, mark]) => mark);
    this.#edges = new EdgeTable(most);
    this.#fallback = new Int32Array(most);
    this.#length = new Int32Array(most);
    this.#mark = new Int32Array(most);
    const parents = new Int32Array(most);
    const characters = new Uint16Array(most);
    const depths = new Int32Array(most);
    let states = 1;
    for (const [index, [text]] of texts.entries()) {
      let state = 0;
      for (let at = 0; at < text.length; at++) {
        const character = text.charCodeAt(at);
        let next = this.#edges.get(state, character);
        if (next === 0) {
          next = states++;
          this.#edges.add(state, character, next);
          parents[next] = state;
          characters[next] = character;
          depths[next] = at + 1;
        }
        state = next;
      }
      this.#length[state] = text.length;
      this.#mark[state] = index;
    }
    // The shorter first: a state falls back to a shorter one.
    for (const state of byDepth(depths.subarray(0, states))) {
      const parent = parents[state] as number;
      if (state === 0 || parent === 0) continue;
      const fallback = this.#step(this.#fallback[parent] as number, characters[state] as number);
      this.#fallback[state] = fallback;
      if (this.#length[state] !== 0) continue;
      this.#length[state] = this.#length[fallback] as number;
      this.#mark[state] = this.#mark[fallback] as number;
    }
  }

  /** The same text where none of the texts occurs in it. What was JSON stays JSON. */
  replace(text: string): string {
    /** Ranges that were found, in order, without overlaps: start, end, mark. */
    const found: number[] = [];
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      state = this.#step(state, text.charCodeAt(at));
      const length = this.#length[state] as number;
      if (length > 0) addRange(found, at + 1 - length, at + 1, this.#mark[state] as number);
    }
    if (found.length === 0) return text;
    let replaced = "";
    let end = 0;
    for (let at = 0; at < found.length; at += 3) {
      const start = found[at] as number;
      const mark = this.#marks[found[at + 2] as number] as string;
      const before = text.slice(end, start) + escapeAt(text, start);
      end = found[at + 1] as number;
      replaced += before + mark + escapeAt(text, end);
    }
    return replaced + text.slice(end);
  }

  #step(from: number, character: number): number {
    for (let state = from; ; state = this.#fallback[state] as number) {
      const next = this.#edges.get(state, character);
      if (next !== 0 || state === 0) return next;
    }
  }
}

/** A backslash where the character is escaped: in JSON, one that is left over would escape what follows it. */
function escapeAt(text: string, at: number): string {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1 ? "\\" : "";
}

const BACKSLASH = 0x5c;

/** Joins ranges that overlap; the mark is that of the first. They come by their ends. */
function addRange(found: number[], start: number, end: number, mark: number): void {
  let [first, kept] = [start, mark];
  while (found.length > 0 && (found.at(-2) as number) > start) {
    first = Math.min(first, found.at(-3) as number);
    kept = found.at(-1) as number;
    found.length -= 3;
  }
  found.push(first, end, kept);
}

/** The states in the order of their depth. */
function byDepth(depths: Int32Array): Int32Array {
  const counts = new Int32Array(depths.reduce((most, depth) => Math.max(most, depth), 0) + 2);
  for (const depth of depths) counts[depth + 1] = (counts[depth + 1] as number) + 1;
  for (let depth = 1; depth < counts.length; depth++) {
    counts[depth] = (counts[depth] as number) + (counts[depth - 1] as number);
  }
  const order = new Int32Array(depths.length);
  for (const [state, depth] of depths.entries()) {
    const place = counts[depth] as number;
    order[place] = state;
    counts[depth] = place + 1;
  }
  return order;
}

/** Edges by state and character, in one open hash table: objects would take ten times the memory. */
class EdgeTable {
  readonly #mask: number;
  readonly #states: Int32Array;
  readonly #characters: Uint16Array;
  /** 0 where there is no edge: none leads back to the first state. */
  readonly #targets: Int32Array;
  /** Most steps begin at the first state, with a usual character. */
  readonly #first = new Int32Array(128);

  constructor(most: number) {
    const size = 2 ** Math.ceil(Math.log2(2 * most + 2));
    this.#mask = size - 1;
    this.#states = new Int32Array(size);
    this.#characters = new Uint16Array(size);
    this.#targets = new Int32Array(size);
  }

  /** 0 where there is none. */
  get(state: number, character: number): number {
    if (state === 0 && character < 128) return this.#first[character] as number;
    return this.#targets[this.#slot(state, character)] as number;
  }

  add(state: number, character: number, target: number): void {
    if (state === 0 && character < 128) this.#first[character] = target;
    const slot = this.#slot(state, character);
    this.#states[slot] = state;
    this.#characters[slot] = character;
    this.#targets[slot] = target;
  }

  #slot(state: number, character: number): number {
    let slot = (Math.imul(state, 0x9e3779b1) ^ Math.imul(character, 0x85ebca6b)) >>> 7;
    for (slot &= this.#mask; ; slot = (slot + 1) & this.#mask) {
      if (this.#targets[slot] === 0) return slot;
      if (this.#states[slot] === state && this.#characters[slot] === character) return slot;
    }
  }
}
