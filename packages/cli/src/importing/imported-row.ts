import type { ExportRow } from "./read-export.ts";

/** A span with what it was sent with. */
export interface ImportedSpan {
  /** In OTLP's JSON encoding, as are the resource and the scope. */
  readonly span: object;
  readonly resource?: object | undefined;
  readonly scope: object;
}

/** A score as the API of its product takes it. */
export interface ImportedScore {
  /** Where that API takes it. */
  readonly target: "langfuse" | "phoenix-span" | "phoenix-trace";
  readonly score: object;
}

/** What a row of an export becomes. */
export interface ImportedRow {
  readonly spans: readonly ImportedSpan[];
  readonly scores: readonly ImportedScore[];
  /** Why parts of it, or all, cannot be imported. */
  readonly skipped: readonly string[];
}

export const skipped = (...reasons: string[]): ImportedRow => ({
  spans: [],
  scores: [],
  skipped: reasons,
});

/** A product whose exports can be imported. */
export interface Product {
  readonly name: string;
  /** What its rows are, for errors. */
  readonly rows: string;
  /** Whether its CSV can be read, or what to write instead. */
  readonly csv: "read" | { readonly instead: string };
  /** @returns undefined for a row that is none of the product's. */
  read(row: ExportRow): ImportedRow | undefined;
}
