import { expectedRecord, latencyOf } from "./expected-record.ts";
import { expectedTree, type PlacedSpan } from "./expected-tree.ts";
import {
  bytesOf,
  contentOf,
  isTooLong,
  MOST_SPAN_BYTES,
  type ModelLog,
  mergedBySpan,
  withLogs,
} from "./model-log.ts";
import { identityOf, type ModelScore, matchesScores, shownScore } from "./model-score.ts";
import { compareSpans, type ModelSpan } from "./model-span.ts";
import { matchesSearch, textsOfSpan } from "./search-words.ts";

/** Parameters of the lists, as they are in the query string. */
export type Filter = Readonly<Partial<Record<FilterName, string>>>;
export type FilterName =
  | "application"
  | "route"
  | "variant"
  | "revision"
  | "environment"
  | "status"
  | "spankind"
  | "name"
  | "user_id"
  | "session_id"
  | "min_latency"
  | "min_cost"
  | "run"
  | "traffic"
  | "any_error"
  | "score"
  | "q"
  | "from"
  | "to";

/** What a span or a trace is filtered and grouped by. */
export interface Dimensions {
  readonly application: string | null;
  readonly route: string | null;
  readonly variant: string | null;
  readonly revision: number | null;
  readonly environment: string | null;
  readonly user_id: string | null;
  readonly session_id: string | null;
  /** Of the trace, in lists of spans too. */
  readonly run: string | null;
  readonly status: string;
  readonly spankind: string;
  readonly name: string;
}

/** A line of a list. */
export interface Listed {
  readonly traceId: string;
  readonly record: object;
  readonly start: bigint;
  readonly latency: number | null;
  readonly cost: number | null;
  readonly tokens: { readonly input: number; readonly output: number } | null;
  /** Of its trace, calls with tokens and no cost. */
  readonly unpricedCalls: number;
  readonly dimensions: Dimensions;
  /** Whether any span of its trace failed. */
  readonly hasFailed: boolean;
  /** The spans that a search may find it by, with the content that was logged of them. */
  readonly searched: readonly ModelSpan[];
  /** Those that it is found by. */
  readonly scores: readonly ModelScore[];
}

/** A score with the id that the platform gave it. */
export interface StoredModelScore {
  readonly id: string;
  readonly score: ModelScore;
}

/** The most that a trace takes, logged content of requests included. */
const MOST_SCORES = 1_000;

/** The spans that a platform holds for one project, in arrays, and what it must answer about them. */
export class NaiveModel {
  readonly project: string;
  readonly #traces = new Map<string, Map<string, ModelSpan>>();
  /** Of each trace, by what is judged and by whom. */
  readonly #scores = new Map<string, Map<string, StoredModelScore>>();
  /** Logged content of each trace, by what it says. */
  readonly #logs = new Map<string, Map<string, ModelLog>>();
  /** What each id stands for. */
  readonly #judgements = new Map<string, string>();
  readonly #shownScores = new Map<string, readonly StoredModelScore[]>();
  readonly #scoresBySpan = new WeakMap<
    readonly StoredModelScore[],
    ReadonlyMap<string | null, readonly StoredModelScore[]>
  >();
  /** Answers about traces that have not changed since they were given. */
  readonly #trees = new Map<string, PlacedSpan[]>();

  constructor(project: string) {
    this.project = project;
  }

  get traceIds(): string[] {
    return [...this.#traces.keys()];
  }

  get spans(): ModelSpan[] {
    return [...this.#traces.values()].flatMap((spans) => [...spans.values()]);
  }

  /** No spans: there is no such trace. */
  spansOf(traceId: string): ModelSpan[] {
    return [...(this.#traces.get(traceId)?.values() ?? [])];
  }

  /** Of a span that is sent again the last one counts. */
  append(spans: readonly ModelSpan[]): void {
    for (const span of spans) {
      const trace = this.#traces.get(span.traceId) ?? new Map();
      this.#traces.set(span.traceId, trace.set(span.spanId, span));
      this.#trees.delete(span.traceId);
    }
  }

  /** The places of scores that their traces have no room for; one that replaces another needs none. */
  beyondLimit(scores: readonly ModelScore[]): number[] {
    const held = new Map<string, Set<string>>();
    return scores.flatMap((score, place) => {
      const { traceId } = score;
      const own = held.get(traceId) ?? new Set(this.#scores.get(traceId)?.keys());
      held.set(traceId, own);
      const rows = own.size + (this.#logs.get(traceId)?.size ?? 0);
      if (rows >= MOST_SCORES && !own.has(identityOf(score))) return [place];
      own.add(identityOf(score));
      return [];
    });
  }

  /** @param id As the platform has answered; the same judgement always has the same. */
  putScore(score: ModelScore, id: string): void {
    const own = this.#scores.get(score.traceId) ?? new Map<string, StoredModelScore>();
    const before = own.get(identityOf(score));
    const judgement = this.#judgements.get(id) ?? identityOf(score);
    if (judgement !== identityOf(score) || (before !== undefined && before.id !== id)) {
      throw new Error(`The id ${id} is not that of ${identityOf(score)} alone`);
    }
    this.#judgements.set(id, judgement);
    own.set(identityOf(score), { id, score });
    this.#scores.set(score.traceId, own);
    this.#shownScores.delete(score.traceId);
  }

  /** Keeps what a request has logged. @returns how many log records have no room. */
  log(request: readonly ModelLog[]): number {
    return mergedBySpan(request)
      .filter((log) => !this.#hasKept(log))
      .reduce((sum, { records }) => sum + records, 0);
  }

  #hasKept(log: ModelLog): boolean {
    const { traceId, spanId } = log;
    const own = this.#logs.get(traceId) ?? new Map<string, ModelLog>();
    if (isTooLong(log)) return false;
    if (!own.has(contentOf(log))) {
      const ofSpan = [...own.values()].filter((other) => other.spanId === spanId);
      const bytes = [...ofSpan, log].reduce((sum, each) => sum + bytesOf(each), 0);
      if (bytes > MOST_SPAN_BYTES || this.rowsOf(traceId) >= MOST_SCORES) return false;
    }
    own.set(contentOf(log), log);
    this.#logs.set(traceId, own);
    return true;
  }

  /** How many scores and logged contents a trace has, also where no span of it has come. */
  rowsOf(traceId: string): number {
    return (this.#scores.get(traceId)?.size ?? 0) + (this.#logs.get(traceId)?.size ?? 0);
  }

  /** The span as its record shows it. */
  #shown(span: ModelSpan): ModelSpan {
    const logs = this.#logs.get(span.traceId);
    if (logs === undefined) return span;
    return withLogs(
      span,
      [...logs.values()].filter(({ spanId }) => spanId === span.spanId),
    );
  }

  /** In the order in which they are shown. */
  scoresOf(traceId: string): readonly StoredModelScore[] {
    const known = this.#shownScores.get(traceId);
    if (known !== undefined) return known;
    const keyOf = ({ id, score }: StoredModelScore) => `${score.createdAt} ${id}`;
    const scores = [...(this.#scores.get(traceId)?.values() ?? [])].sort((a, b) =>
      keyOf(a) < keyOf(b) ? -1 : 1,
    );
    this.#shownScores.set(traceId, scores);
    return scores;
  }

  /** What the record of a span shows: those of the whole trace too where it is its top. */
  record({ span, total }: PlacedSpan, isTop: boolean, failedSpans = 0): object {
    const own = isTop
      ? this.scoresOf(span.traceId).filter(
          ({ score: { spanId } }) => spanId === span.spanId || spanId === null,
        )
      : this.#scoresOfSpan(span);
    const shown = own.map(({ id, score }) => shownScore(score, id));
    return expectedRecord(this.#shown(span), this.project, total, shown, failedSpans);
  }

  delete(traceId: string): void {
    this.#scores.delete(traceId);
    this.#logs.delete(traceId);
    this.#shownScores.delete(traceId);
    this.#traces.delete(traceId);
    this.#trees.delete(traceId);
  }

  tree(traceId: string): PlacedSpan[] {
    const tree = this.#trees.get(traceId) ?? expectedTree(this.spansOf(traceId));
    this.#trees.set(traceId, tree);
    return tree;
  }

  /** A span and everything below it. */
  subtree(traceId: string, spanId: string): PlacedSpan[] {
    const tree = this.tree(traceId);
    const at = tree.findIndex(({ span }) => span.spanId === spanId);
    const { depth } = tree[at]!;
    const end = tree.findIndex((placed, index) => index > at && placed.depth <= depth);
    return tree.slice(at, end === -1 ? undefined : end);
  }

  /** The traces that a filter finds, newest first. */
  listTraces(filter: Filter): Listed[] {
    return this.traceIds
      .map((traceId) => this.#listedTrace(traceId))
      .filter((listed) => matches(listed.line, filter))
      .sort((a, b) => descending(a.line.start, b.line.start) || descending(a.traceId, b.traceId))
      .map(({ line }) => line);
  }

  /** The spans that a filter finds, newest first. */
  listSpans(filter: Filter): Listed[] {
    return this.traceIds
      .flatMap((traceId) => {
        const { run } = this.#dimensionsOf(traceId);
        return this.tree(traceId).map((placed) => ({ placed, run }));
      })
      .sort((a, b) => -compareSpans(a.placed.span, b.placed.span))
      .map(({ placed, run }) => this.#listedSpan(placed, run))
      .filter((line) => matches(line, filter));
  }

  #listedTrace(traceId: string): { traceId: string; line: Listed } {
    const [top] = this.tree(traceId) as [PlacedSpan];
    const others = this.spansOf(traceId).sort(compareSpans);
    const dimensions = this.#dimensionsOf(traceId);
    const line = {
      ...this.#listedSpan(top, dimensions.run),
      record: this.record(top, true, this.#failedIn(traceId)),
      cost: top.total.cost,
      tokens: top.total.usage,
      unpricedCalls: top.total.unpricedCalls,
      dimensions,
      searched: others.map((span) => this.#shown(span)),
      scores: this.scoresOf(traceId).map(({ score }) => score),
    };
    return { traceId, line };
  }

  #scoresOfSpan({ traceId, spanId }: ModelSpan): readonly StoredModelScore[] {
    if (!this.#scores.has(traceId)) return [];
    const scores = this.scoresOf(traceId);
    let bySpan = this.#scoresBySpan.get(scores);
    bySpan ??= Map.groupBy(scores, ({ score }) => score.spanId);
    this.#scoresBySpan.set(scores, bySpan);
    return bySpan.get(spanId) ?? [];
  }

  #failedIn(traceId: string): number {
    return this.spansOf(traceId).filter(({ status }) => status === "ERROR").length;
  }

  #dimensionsOf(traceId: string): Dimensions {
    const [top] = this.tree(traceId) as [PlacedSpan];
    const others = this.spansOf(traceId).sort(compareSpans);
    return { ...ownDimensions(top.span), ...inherited([top.span, ...others]) };
  }

  #listedSpan(placed: PlacedSpan, run: string | null): Listed {
    const { span } = placed;
    return {
      traceId: span.traceId,
      record: this.record(placed, false),
      start: span.start,
      latency: latencyOf(span),
      cost: span.figures?.cost ?? null,
      tokens: span.figures,
      unpricedCalls: placed.total.unpricedCalls,
      dimensions: { ...ownDimensions(span), run },
      hasFailed: this.#failedIn(span.traceId) > 0,
      searched: [this.#shown(span)],
      scores: this.#scoresOfSpan(span).map(({ score }) => score),
    };
  }
}

function ownDimensions(span: ModelSpan): Dimensions {
  return {
    application: span.application,
    route: span.route,
    variant: span.variant === null ? null : (span.variant.name ?? span.variant.id),
    revision: span.revision,
    environment: span.environment,
    user_id: span.userId,
    session_id: span.sessionId,
    run: span.run,
    status: span.status,
    spankind: span.kind ?? "UNKNOWN",
    name: span.name,
  };
}

/** Decision 0008: each of these from the first span that names it, the revision with its variant. */
function inherited(spans: readonly ModelSpan[]): Partial<Dimensions> {
  const all = spans.map(ownDimensions);
  const first = <Name extends keyof Dimensions>(name: Name) =>
    all.find((dimensions) => dimensions[name] !== null)?.[name] ?? null;
  const versioned = all.find(({ variant, revision }) => variant !== null || revision !== null);
  return {
    application: first("application"),
    route: first("route"),
    variant: versioned?.variant ?? null,
    revision: versioned?.revision ?? null,
    environment: first("environment"),
    user_id: first("user_id"),
    session_id: first("session_id"),
    run: first("run"),
  };
}

/** Whether all conditions of a filter hold. */
function matches(listed: Listed, filter: Filter): boolean {
  const { start, latency, cost, dimensions, hasFailed, searched, scores } = listed;
  // Without a run, only live traffic is found.
  const traffic = filter.run === undefined ? "live" : "all";
  return Object.entries({ traffic, ...filter }).every(([name, wanted]) => {
    switch (name) {
      case "q":
        return matchesSearch(searched.flatMap(textsOfSpan), wanted);
      case "score":
        return matchesScores(scores, wanted);
      case "traffic":
        return wanted === "all" || (wanted === "live") === (dimensions.run === null);
      case "any_error":
        return (wanted === "true") === hasFailed;
      case "from":
        return start >= nanosOf(wanted);
      case "to":
        return start < nanosOf(wanted);
      case "min_latency":
        return latency !== null && latency >= Number(wanted);
      case "min_cost":
        return cost !== null && cost >= Number(wanted);
      case "revision":
        return dimensions.revision === Number(wanted);
      default:
        return dimensions[name as keyof Dimensions] === wanted;
    }
  });
}

/** @param time ISO 8601 in UTC with six fraction digits. */
function nanosOf(time: string): bigint {
  const micros = BigInt(time.slice(20, 26));
  return BigInt(Date.parse(`${time.slice(0, 19)}Z`)) * 1_000_000n + micros * 1_000n;
}

function descending<Value extends bigint | string>(a: Value, b: Value): number {
  return a > b ? -1 : a < b ? 1 : 0;
}
