import { USAGE_FIELDS } from "@agate/protocol";
import { COST, type FigureSums, hasSpentTokens } from "./figure-sums.ts";
import type { ReportedFigures } from "./reported-figures.ts";

/** The fields that are taken from one report together: all tokens, and the cost. */
const PARTS = [
  { first: 0, end: COST, isIn: hasTokens },
  { first: COST, end: COST + 1, isIn: ({ cost }: ReportedFigures) => cost !== null },
] as const;

/** Where the nodes of a tree are. */
export interface NodePlaces {
  /** In preorder. */
  readonly position: Int32Array;
  /** The top has depth 0. */
  readonly depth: Int32Array;
}

/** What a subtree counts of a call. */
interface CountedCall {
  /** By part, the node whose report counts; undefined where no report has the part. */
  readonly nodes: readonly (number | undefined)[];
  /** Whether a cost is counted for it: of one of its reports, or of a wrapper above it. */
  readonly isPriced: boolean;
}

/** By the call's key. */
type Counted = Map<string, CountedCall>;

/**
 * The calls that several spans of a trace report. While the sums grow from the leaves to the top,
 * every subtree counts the best report that is in it: the tokens of one, and the cost of one.
 */
export class RepeatedCalls {
  readonly #reports: readonly (ReportedFigures | null)[];
  readonly #places: NodePlaces;
  readonly #sums: FigureSums;
  /** By node; null for a report that is the only one of its call, or of none. */
  readonly #keys: readonly (string | null)[];
  /** By node; one without such calls has none. */
  readonly #counted: (Counted | undefined)[] = [];

  /** @returns Null where every call is reported once, as in most traces. */
  static among(
    reports: readonly (ReportedFigures | null)[],
    places: NodePlaces,
    sums: FigureSums,
  ): RepeatedCalls | null {
    const keys = reports.map((report) => (report === null ? null : keyOf(report)));
    separateByTime(keys, reports);
    const once = new Set<string>();
    const repeated = new Set<string>();
    for (const key of keys) if (key !== null) (once.has(key) ? repeated : once).add(key);
    if (repeated.size === 0) return null;
    const repeatedOnly = keys.map((key) => (key !== null && repeated.has(key) ? key : null));
    return new RepeatedCalls(reports, places, sums, repeatedOnly);
  }

  private constructor(
    reports: readonly (ReportedFigures | null)[],
    places: NodePlaces,
    sums: FigureSums,
    keys: readonly (string | null)[],
  ) {
    this.#reports = reports;
    this.#places = places;
    this.#sums = sums;
    this.#keys = keys;
  }

  /**
   * Takes a node's report together with those of the same call below it.
   *
   * @returns False when there are none, and the report is still to be counted.
   */
  joinsBelow(node: number): boolean {
    const key = this.#keys[node] ?? null;
    if (key === null || !this.#counted[node]?.has(key)) return false;
    this.#sums.count(node, this.#report(node));
    this.begin(node);
    return true;
  }

  /** To be called when a node's report was counted. */
  begin(node: number): void {
    const key = this.#keys[node] ?? null;
    if (key === null) return;
    const report = this.#report(node);
    const nodes = PARTS.map((part) => (part.isIn(report) ? node : undefined));
    if (nodes.every((counted) => counted === undefined)) return;
    this.#counted[node] ??= new Map();
    this.#settle(node, this.#counted[node], key, { nodes, isPriced: report.cost !== null });
  }

  /** To be called when a wrapper's cost was counted for all calls below it. */
  priceAll(node: number): void {
    const counted = this.#counted[node];
    for (const [key, call] of counted ?? []) counted?.set(key, { ...call, isPriced: true });
  }

  /** To be called when a node's sums were added to those of its parent. */
  merge(node: number, parent: number): void {
    const own = this.#counted[node];
    if (own === undefined) return;
    // The smaller goes into the larger, and none is kept twice: n calls take n log n steps.
    this.#counted[node] = undefined;
    const other: Counted = this.#counted[parent] ?? new Map();
    const [small, large] = own.size < other.size ? [own, other] : [other, own];
    for (const [key, call] of small) this.#settle(parent, large, key, call);
    this.#counted[parent] = large;
  }

  /** Of two reports of a call in the sums of a node, the worse is taken back. */
  #settle(node: number, counted: Counted, key: string, call: CountedCall): void {
    const other = counted.get(key);
    if (other === undefined) {
      counted.set(key, call);
      return;
    }
    const nodes = PARTS.map(({ first, end }, n) => {
      const [a, b] = [call.nodes[n], other.nodes[n]];
      if (a === undefined || b === undefined) return a ?? b;
      const [better, worse] = this.#isBetter(a, b) ? [a, b] : [b, a];
      for (let field = first; field < end; field++) {
        this.#sums.discountField(node, field, this.#report(worse));
      }
      return better;
    });
    const both = { nodes, isPriced: call.isPriced || other.isPriced };
    counted.set(key, both);
    const unpriced = this.#unpriced(both) - this.#unpriced(call) - this.#unpriced(other);
    this.#sums.countUnpriced(node, unpriced);
  }

  /** How often the call is among the unpriced ones of a subtree: once or not at all. */
  #unpriced({ nodes: [tokens], isPriced }: CountedCall): number {
    return !isPriced && tokens !== undefined && hasSpentTokens(this.#report(tokens)) ? 1 : 0;
  }

  // More detail is better; of equals the one further inside, which is closer to the call.
  #isBetter(a: number, b: number): boolean {
    const { depth, position } = this.#places;
    const difference =
      detailOf(this.#report(a)) - detailOf(this.#report(b)) ||
      (depth[a] as number) - (depth[b] as number) ||
      (position[b] as number) - (position[a] as number);
    return difference > 0;
  }

  #report(node: number): ReportedFigures {
    return this.#reports[node] as ReportedFigures;
  }
}

function hasTokens({ usage }: ReportedFigures): boolean {
  return usage !== null && USAGE_FIELDS.some((field) => usage[field] !== null);
}

function keyOf({ role, call }: ReportedFigures): string | null {
  return role === "own" && call !== undefined ? call.key : null;
}

/**
 * Calls after each other may seem to overlap by this much: OpenTelemetry's SDK for JavaScript begins a
 * span at a whole millisecond.
 */
const CLOCK_MICROS = 1_000;

/** Gives reports with an id that several calls may have a key for each time in which they overlap. */
function separateByTime(
  keys: (string | null)[],
  reports: readonly (ReportedFigures | null)[],
): void {
  const byKey = new Map<string, { node: number; start: number; end: number }[]>();
  for (let node = 0; node < keys.length; node++) {
    const key = keys[node] ?? null;
    const during = key === null ? undefined : reports[node]?.call?.during;
    if (key === null || during === undefined) continue;
    const [start, end] = during;
    const others = byKey.get(key);
    if (others === undefined) byKey.set(key, [{ node, start, end }]);
    else others.push({ node, start, end });
  }
  for (const [key, spans] of byKey) {
    spans.sort((a, b) => a.start - b.start);
    let first: number | null = null;
    let end = 0;
    for (const { node, start, end: ownEnd } of spans) {
      // Shorter than the clock tells: it cannot be shown to overlap anything.
      if (ownEnd - start <= CLOCK_MICROS) {
        keys[node] = `${key}\n${node}`;
        continue;
      }
      if (first === null || end - start <= CLOCK_MICROS) first = node;
      end = Math.max(end, ownEnd);
      keys[node] = `${key}\n${first}`;
    }
  }
}

/** How much a report says: a cost that was sent, any cost, then each kind of detail. */
function detailOf({ usage, cost, call }: ReportedFigures): number {
  const points = (isThere: boolean | undefined, count: number) => (isThere ? count : 0);
  return (
    points(call?.isCostSent, 8) +
    points(cost !== null, 4) +
    points(typeof usage?.cached_input_tokens === "number", 1) +
    points(typeof usage?.reasoning_tokens === "number", 1)
  );
}
