import type { StoredSpan } from "@agate/spans";
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

  delete(project: string, traceId: string): boolean {
    return this.#traces.delete(`${project} ${traceId}`);
  }

  expire(before: number): void {
    for (const [key, { received }] of this.#traces) {
      if (received < before) this.#traces.delete(key);
    }
  }

  request({ filter, limit, maxBytes }: ListSketch, project: string): ListRequest {
    return { project, filter: this.#filter(filter), limit, maxBytes, after: null };
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

  #filter({ span: n, fields, tweak, text }: FilterSketch): SpanFilter {
    const span = this.#span(n);
    if (span === undefined) return {};
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
      startedFrom: span.start,
      startedBefore: span.start,
      minLatency: span.latency,
      minCost: span.figures?.cost ?? null,
      text: searchOf(text, span.name),
    };
    return Object.fromEntries(
      fields.flatMap((field) => {
        const value = values[field];
        return value === null ? [] : [[field, tweaked(value, tweak)]];
      }),
    );
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
