/** The last segment that an export has given. */
export interface ExportPosition {
  readonly received: number;
  readonly traceNo: number;
  readonly segment: number;
}

export const EXPORT_BEGINNING: ExportPosition = {
  received: Number.MIN_SAFE_INTEGER,
  traceNo: -1,
  segment: -1,
};

/** @throws RangeError for a text that no export gave. */
export function parseExportPosition(text: string): ExportPosition {
  const [received, traceNo, segment] = text.split(",").map(Number);
  if (![received, traceNo, segment].every(Number.isSafeInteger)) {
    throw new RangeError(`${JSON.stringify(text)} is no position in this store`);
  }
  return { received, traceNo, segment } as ExportPosition;
}
