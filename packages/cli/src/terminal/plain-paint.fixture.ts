import type { Paint } from "./terminal.ts";

/** No colours at all. */
export const plainPaint: Paint = (_style, text) => text;
