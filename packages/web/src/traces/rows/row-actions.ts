import type { TraceRow } from "../../api/trace-row.ts";
import type { FilterName } from "../filters/filter-fields.ts";
import type { TracesSearch } from "../traces-search.ts";

/** What can be done with a row. */
export interface RowActions {
  /** The list that the row is in. */
  readonly list: TracesSearch;
  /** Whether the reader may delete traces. */
  readonly mayDelete: boolean;
  select(key: string): void;
  open(row: TraceRow): void;
  openInTab(row: TraceRow): void;
  filter(name: FilterName, value: string): void;
  copyId(row: TraceRow): void;
  askToDelete(row: TraceRow): void;
}
