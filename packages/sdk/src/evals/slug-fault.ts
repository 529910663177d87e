const SLUG = /^(?=.{1,64}$)[a-z0-9]+(?:[-_.][a-z0-9]+)*$/;

/**
 * Why a text is not a slug; null for one. Not the protocol's own, which also suggests a name: every
 * part that the evals share with the core would be loaded with the core, too.
 */
export function slugFault(text: unknown): string | null {
  if (typeof text === "string" && SLUG.test(text)) return null;
  return 'use up to 64 lower-case letters and digits, with single "-", "_" or "." between them.';
}
