import type { AnalyticsRequest, AnalyticsResult, ListPage, ListRequest } from "../span-query.ts";

export type QueryApi = {
  listTraces(request: ListRequest): Promise<ListPage>;
  listSpans(request: ListRequest): Promise<ListPage>;
  analytics(request: AnalyticsRequest): Promise<AnalyticsResult>;
  close(): Promise<void>;
};

export interface QueryData {
  readonly directory: string;
}
