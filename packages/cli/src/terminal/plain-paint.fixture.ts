import type { Paint } from "./paint.ts";

/** No colours at all. */
export const plainPaint: Paint = (_style, text) => text;
