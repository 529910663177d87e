import type { Attributes } from "./otlp-span.ts";

/** What has no attributes shares this one: most events and links, and many scopes. */
export const EMPTY_ATTRIBUTES: Attributes = new Map();
