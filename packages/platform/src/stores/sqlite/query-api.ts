import type {
  AnalyticsRequest,
  AnalyticsResult,
  EarliestRequest,
  FailedSpans,
  FailedSpansRequest,
  ListPage,
  ListRequest,
} from "../span-query.ts";
import type { ProjectCount } from "../span-store.ts";
import type { ExportedParts } from "./span-exporter.ts";

/** The number of a query is that by which it can be stopped. */
export type QueryApi = {
  listTraces(query: number, request: ListRequest): Promise<ListPage>;
  listSpans(query: number, request: ListRequest): Promise<ListPage>;
  analytics(query: number, request: AnalyticsRequest): Promise<AnalyticsResult>;
  earliestStart(query: number, request: EarliestRequest): Promise<number | null>;
  countFailedSpans(query: number, request: FailedSpansRequest): Promise<readonly FailedSpans[]>;
  countSpans(): Promise<readonly ProjectCount[]>;
  /** What comes next after a position; empty at the end. */
  exportParts(after: string | null): Promise<ExportedParts>;
  close(): Promise<void>;
};

export interface QueryData {
  readonly directory: string;
  /** See `interruptMemory`. */
  readonly interruptions: SharedArrayBuffer;
}
