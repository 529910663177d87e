import type { ResolvedConfig } from "@agate/protocol";
import { shownValue } from "@agate/protocol";

export type ReadOutcome =
  | { readonly kind: "read"; readonly resolved: ResolvedConfig }
  /** Which part is wrong, and how: `variant.revision is null, not a whole number from 1`. */
  | { readonly kind: "malformed"; readonly problem: string };

type Json = Readonly<Record<string, unknown>>;

/** Checks what a registry answered. Fields that it does not know are left out: newer registries may add some. */
export function readResolvedConfig(body: unknown): ReadOutcome {
  try {
    const root = objectAt(body, "the body");
    const application = objectAt(own(root, "application"), "application");
    const variant = objectAt(own(root, "variant"), "variant");
    const params = objectAt(own(root, "params"), "params");
    for (const [route, config] of Object.entries(params)) {
      objectAt(config, `params[${JSON.stringify(route)}]`);
    }
    const environment = own(root, "environment");
    return {
      kind: "read",
      resolved: {
        application: {
          id: textAt(own(application, "id"), "application.id"),
          slug: textAt(own(application, "slug"), "application.slug"),
        },
        variant: {
          id: textAt(own(variant, "id"), "variant.id"),
          slug: textAt(own(variant, "slug"), "variant.slug"),
          revision: revisionAt(own(variant, "revision"), "variant.revision"),
        },
        environment: environment === null ? null : textAt(environment, "environment"),
        params: params as ResolvedConfig["params"],
      },
    };
  } catch (error) {
    if (error instanceof Malformed) return { kind: "malformed", problem: error.message };
    throw error;
  }
}

class Malformed extends Error {}

/** What a JSON document inherits, or says under `__proto__`, is none of its fields. */
function own(object: Json, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function objectAt(value: unknown, where: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new Malformed(`${where} is ${named(value)}, not an object`);
}

function textAt(value: unknown, where: string): string {
  if (typeof value === "string") return value;
  throw new Malformed(`${where} is ${named(value)}, not a text`);
}

function revisionAt(value: unknown, where: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return value;
  throw new Malformed(`${where} is ${named(value)}, not a whole number from 1`);
}

function named(value: unknown): string {
  return value === undefined ? "missing" : shownValue(value);
}
