export type { ColumnChoice, ColumnPart, CsvHeader } from "./column-choice.ts";
export { guessColumns, inputFields, readCsvHeader } from "./column-choice.ts";
export type { CsvMapping } from "./csv-columns.ts";
export { readCsvRecords } from "./csv-records.ts";
export type { InputFault } from "./input-faults.ts";
export { inputFaults } from "./input-faults.ts";
export type { CsvOptions } from "./read-csv.ts";
export { readCsv } from "./read-csv.ts";
export { readJsonl } from "./read-jsonl.ts";
export type { RawRow } from "./read-rows.ts";
export { readRows } from "./read-rows.ts";
export { assignRowIds, canonicalJson, inputsId } from "./row-ids.ts";
export type { SpanCase } from "./span-case.ts";
export { spanCase } from "./span-case.ts";
export type { RowFault, RowSource, RowsReading, TestRow } from "./test-row.ts";
export {
  LONGEST_ROW_ID,
  MOST_ROW_BYTES,
  MOST_ROW_FAULTS,
  MOST_ROWS,
  MOST_SET_BYTES,
  rowLine,
  shownRowFault,
} from "./test-row.ts";
