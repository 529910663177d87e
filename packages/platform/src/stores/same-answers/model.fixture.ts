import type { StoredSpan } from "@agate/spans";
import type { ScoreBatch, StoredScore } from "../score-store.ts";
import type { AnalyticsRequest, ListRequest, SpanFilter } from "../span-query.ts";
import type { SpanBatch, TraceChange } from "../span-store.ts";
import type { AnalyticsSketch, FilterSketch, ListSketch } from "./history.fixture.ts";

interface TraceModel {
  readonly project: string;
  readonly traceId: string;
  received: number;
  /** Since the stores were opened. */
  isNew: boolean;
  isChanged: boolean;
  readonly spans: Map<string, StoredSpan>;
}

/** What a store should hold, kept in memory. */
export class Model {
  readonly #traces = new Map<string, TraceModel>();
  readonly #scores = new Map<string, { readonly project: string; readonly score: StoredScore }>();
  /** All that was ever appended. */
  readonly batches: SpanBatch[] = [];

  get traces(): readonly TraceModel[] {
    return [...this.#traces.values()];
  }

  /** What a watcher must have been told since the stores were opened. */
  get changes(): TraceChange[] {
    return this.traces
      .filter(({ isChanged }) => isChanged)
      .map(({ project, traceId, isNew }) => ({ project, traceId, isNew }));
  }

  /** The stores were opened anew. */
  forgetChanges(): void {
    for (const trace of this.#traces.values()) {
      trace.isNew = false;
      trace.isChanged = false;
    }
  }

  append(batch: SpanBatch): void {
    this.batches.push(batch);
    const { project, receivedAt } = batch;
    for (const span of batch.spans) {
      const key = `${project} ${span.traceId}`;
      const trace = this.#traces.get(key) ?? {
        project,
        traceId: span.traceId,
        received: receivedAt,
        isNew: true,
        isChanged: true,
        spans: new Map(),
      };
      trace.isChanged = true;
      trace.received = Math.max(trace.received, receivedAt);
      trace.spans.set(span.id, span);
      this.#traces.set(key, trace);
    }
  }

  putScores({ project, scores }: ScoreBatch): void {
    for (const score of scores) {
      this.#scores.set(`${project} ${score.id}`, { project, score });
      const trace = this.#traces.get(`${project} ${score.traceId}`);
      if (trace !== undefined) trace.isChanged = true;
    }
  }

  /** In the order in which records show them. */
  scoresOf(project: string, traceId: string): StoredScore[] {
    return [...this.#scores.values()]
      .filter((held) => held.project === project && held.score.traceId === traceId)
      .map(({ score }) => score)
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  delete(project: string, traceId: string): boolean {
    const wasThere = this.#traces.delete(`${project} ${traceId}`);
    const scores = this.scoresOf(project, traceId);
    for (const { id } of scores) this.#scores.delete(`${project} ${id}`);
    return wasThere || scores.length > 0;
  }

  expire(before: number): void {
    for (const { project, traceId, received } of this.traces) {
      if (received < before) this.delete(project, traceId);
    }
    for (const [key, { project, score }] of this.#scores) {
      const isOrphan = !this.#traces.has(`${project} ${score.traceId}`);
      if (isOrphan && score.receivedAt < before) this.#scores.delete(key);
    }
  }

  request({ filter, limit, content, maxBytes }: ListSketch, project: string): ListRequest {
    return { project, filter: this.#filter(filter), limit, content, maxBytes, after: null };
  }

  analytics(sketch: AnalyticsSketch, project: string): AnalyticsRequest {
    const { interval, groups } = sketch;
    const start = this.#span(sketch.span)?.start ?? 0;
    const first = Math.floor(start / interval) - sketch.before;
    return {
      project,
      filter: this.#filter(sketch.filter),
      from: first * interval,
      to: (first + sketch.before + sketch.after) * interval,
      interval,
      groups,
    };
  }

  #span(n: number): StoredSpan | undefined {
    const spans = this.batches.flatMap((batch) => batch.spans);
    return spans[n % spans.length];
  }

  #filter({ span: n, fields, tweak, text, score }: FilterSketch): SpanFilter {
    const scored = score === null ? {} : { score };
    const span = this.#span(n);
    if (span === undefined) return scored;
    const values = {
      application: span.application,
      route: span.route,
      variant: span.variant,
      revision: span.revision,
      environment: span.environment,
      status: span.status,
      spankind: span.kind,
      name: span.name,
      userId: span.userId,
      sessionId: span.sessionId,
      run: span.run,
      traffic: span.run === null ? "live" : "evaluation",
      anyError: span.status === "ERROR",
      startedFrom: span.start,
      startedBefore: span.start,
      minLatency: span.latency,
      minCost: span.figures?.cost ?? null,
      text: searchOf(text, span.name),
    };
    const asked = fields.flatMap((field) => {
      const value = values[field];
      if (value === null) return [];
      const isFixed = field === "traffic" || typeof value === "boolean";
      return [[field, isFixed ? value : tweaked(value, tweak)]];
    });
    return { ...Object.fromEntries(asked), ...scored };
  }
}

function searchOf(text: string, name: string): string {
  switch (text) {
    case "name":
      return name;
    case "phrase":
      return `"${name}"`;
    case "prefix":
      return `${name.slice(0, 3)}*`;
    default:
      return text;
  }
}

function tweaked(value: string | number, tweak: FilterSketch["tweak"]): string | number {
  if (tweak === "exact") return value;
  if (typeof value === "number") return tweak === "longer" ? value + 1 : value;
  return tweak === "longer" ? `${value} ` : "";
}
