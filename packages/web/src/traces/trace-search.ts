/** What is shown of a trace, in the address. */
export interface TraceSearch {
  /** The id of the chosen span. */
  readonly span?: string;
}

export function parseTraceSearch({ span }: Record<string, unknown>): TraceSearch {
  return typeof span === "string" ? { span } : {};
}
