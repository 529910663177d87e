import type { AnalyticsRequest, AnalyticsResult, ListPage, ListRequest } from "../span-query.ts";
import type { ProjectCount, SpanPart } from "../span-store.ts";

export type QueryApi = {
  listTraces(request: ListRequest): Promise<ListPage>;
  listSpans(request: ListRequest): Promise<ListPage>;
  analytics(request: AnalyticsRequest): Promise<AnalyticsResult>;
  countSpans(): Promise<readonly ProjectCount[]>;
  /** What comes next after a position; empty at the end. */
  exportParts(after: string | null): Promise<readonly SpanPart[]>;
  close(): Promise<void>;
};

export interface QueryData {
  readonly directory: string;
}
