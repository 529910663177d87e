/** Of the body of a request about projects and keys: far more than names and scopes take. */
export const MOST_BYTES = 64 * 1024;
