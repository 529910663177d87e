import { expectedRecord, latencyOf } from "./expected-record.ts";
import { expectedTree, type PlacedSpan } from "./expected-tree.ts";
import { compareSpans, type ModelSpan } from "./model-span.ts";
import { matchesSearch, wordsOfSpan } from "./search-words.ts";

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
  readonly status: string;
  readonly spankind: string;
  readonly name: string;
}

/** A line of a list. */
export interface Listed {
  readonly record: object;
  readonly start: bigint;
  readonly latency: number | null;
  readonly cost: number | null;
  readonly tokens: { readonly input: number; readonly output: number } | null;
  readonly dimensions: Dimensions;
  /** The spans that a search may find it by. */
  readonly searched: readonly ModelSpan[];
}

/** The spans that a platform holds for one project, in arrays, and what it must answer about them. */
export class NaiveModel {
  readonly project: string;
  readonly #traces = new Map<string, Map<string, ModelSpan>>();
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

  delete(traceId: string): void {
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
      .flatMap((traceId) => this.tree(traceId))
      .sort((a, b) => -compareSpans(a.span, b.span))
      .map((placed) => this.#listedSpan(placed))
      .filter((line) => matches(line, filter));
  }

  #listedTrace(traceId: string): { traceId: string; line: Listed } {
    const [top] = this.tree(traceId) as [PlacedSpan];
    const others = this.spansOf(traceId).sort(compareSpans);
    const line = {
      ...this.#listedSpan(top),
      cost: top.total.cost,
      tokens: top.total.usage,
      dimensions: { ...ownDimensions(top.span), ...inherited([top.span, ...others]) },
      searched: others,
    };
    return { traceId, line };
  }

  #listedSpan({ span, total }: PlacedSpan): Listed {
    return {
      record: expectedRecord(span, this.project, total),
      start: span.start,
      latency: latencyOf(span),
      cost: span.figures?.cost ?? null,
      tokens: span.figures,
      dimensions: ownDimensions(span),
      searched: [span],
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
  };
}

/** Whether all conditions of a filter hold. */
function matches(listed: Listed, filter: Filter): boolean {
  const { start, latency, cost, dimensions, searched } = listed;
  return Object.entries(filter).every(([name, wanted]) => {
    switch (name) {
      case "q":
        return searched.some((span) => matchesSearch(wordsOfSpan(span), wanted));
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
