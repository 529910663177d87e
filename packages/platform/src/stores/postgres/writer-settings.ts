/**
 * For connections that look up a few rows among very many: no plan that reads a whole day is ever
 * right, whatever the statistics of a new table say.
 */
export const SETTINGS_OF_WRITERS = {
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
} as const;
