import type { Attributes } from "@agate/spans";

/** What has no attributes shares this one: most events and links, and many scopes. */
export const EMPTY_ATTRIBUTES: Attributes = new Map();
