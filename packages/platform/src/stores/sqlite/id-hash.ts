/**
 * A span's id as `index.db` has it: a number of four bytes instead of sixteen digits. Spans that share one are told
 * apart by their rows.
 *
 * What is stored depends on it: it must stay as it is.
 */
export function idHash(spanId: string): number {
  // FNV-1a: ids of tests and of imports may differ in their last digits only.
  let hash = 0x811c9dc5;
  for (let at = 0; at < spanId.length; at++) {
    hash = Math.imul(hash ^ spanId.charCodeAt(at), 0x01000193);
  }
  return hash | 0;
}
