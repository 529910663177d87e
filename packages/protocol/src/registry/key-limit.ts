import { SLUG_SCHEMA, SLUG_SOURCE } from "./slug.ts";

/** How many environments one key may be limited to. */
export const MOST_KEY_ENVIRONMENTS = 50;
export const KEY_ENVIRONMENT_RULE =
  "staging (of every application) or support/staging (of one application)";

const SLUG = `(?=[^/]{1,${SLUG_SCHEMA.maxLength}}(?:/|$))${SLUG_SOURCE}`;
/** What a key may be limited to, `staging` or `support/staging`, as JSON Schema. */
export const KEY_ENVIRONMENT_SCHEMA = { pattern: `^(?:${SLUG}/)?${SLUG}$` } as const;
const KEY_ENVIRONMENT = new RegExp(KEY_ENVIRONMENT_SCHEMA.pattern);

/** Whether a text names what a key may be limited to. */
export function isKeyEnvironment(text: string): boolean {
  return KEY_ENVIRONMENT.test(text);
}

/** An environment, by its own slug and that of its application. */
export interface EnvironmentName {
  readonly application: { readonly slug: string };
  readonly slug: string;
}

/** Whether a key that is limited to these environments reaches this one. Null: the key is not limited. */
export function reachesEnvironment(
  limit: ReadonlySet<string> | null,
  { application, slug }: EnvironmentName,
): boolean {
  return limit === null || limit.has(slug) || limit.has(`${application.slug}/${slug}`);
}

/** Whether the inner limit reaches nothing that the outer does not. */
export function isWithinLimit(
  inner: readonly string[] | null,
  outer: ReadonlySet<string> | null,
): boolean {
  if (outer === null) return true;
  if (inner === null) return false;
  // `support/staging` is within `staging`.
  return inner.every((each) => outer.has(each) || outer.has(each.slice(each.indexOf("/") + 1)));
}
