import { isRecord } from "@agate/protocol";
import type { Dictionary } from "../context/routing-context.ts";
import type { Endpoint } from "../routes/route-table.ts";
import { type CallError, callError } from "./call-error.ts";
import { BodyTakenError, type IncomingCall } from "./incoming-call.ts";

export type BodyOutcome =
  | { readonly kind: "read"; readonly value: unknown }
  | { readonly kind: "refused"; readonly error: CallError }
  | { readonly kind: "client-gone" };

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** Reads a request's JSON body, of which at most `maxBytes` are taken. */
export async function readBody(call: IncomingCall, maxBytes: number): Promise<BodyOutcome> {
  const type = call.header("content-type");
  // A page of another site can send forms and plain text here without asking, but not JSON.
  if (type === null || !JSON_TYPE.test(type)) {
    return refused("content_type_unsupported", ["header", "content-type"], unsupported(type));
  }
  let text: string | null;
  try {
    text = await call.readText(maxBytes);
  } catch (error) {
    if (error instanceof BodyTakenError) throw error;
    // A body only breaks off with its connection: no client is left to read the answer.
    return { kind: "client-gone" };
  }
  if (text === null) {
    return refused("body_too_large", ["body"], `The body is larger than ${maxBytes} bytes.`);
  }
  try {
    return { kind: "read", value: JSON.parse(text) };
  } catch {
    const { bodyFault } = await import("./body-fault.ts");
    return refused("body_not_json", ["body"], bodyFault(text));
  }
}

function unsupported(type: string | null): string {
  return `Must be application/json (got ${type ?? "no content type"}). Send the header "content-type: application/json".`;
}

function refused(...args: Parameters<typeof callError>): BodyOutcome {
  return { kind: "refused", error: callError(...args) };
}

/** Which deployed configuration a call asks for; none means the app's own environment. */
export type Wanted =
  | { readonly by: "default" }
  | { readonly by: "environment"; readonly environment: string }
  | { readonly by: "variant"; readonly variant: string; readonly revision: number | null };

/** Names the environment of a deployed call whose body names nothing. The platform's gateway sets it. */
const ENVIRONMENT_HEADER = "agate-environment";

/** What a call asks for by its header, where its body asks for nothing. */
export function wantedBy(wanted: Wanted, header: (name: string) => string | null): Wanted {
  if (wanted.by !== "default") return wanted;
  const environment = header(ENVIRONMENT_HEADER);
  return isName(environment) ? { by: "environment", environment } : wanted;
}

/** The body of a call, design §8. `inputs` is undefined where the body has none. */
export type Envelope =
  | { readonly endpoint: "playground"; readonly config: Dictionary; readonly inputs: unknown }
  | { readonly endpoint: "deployed"; readonly wanted: Wanted; readonly inputs: unknown };

/** The fields of a body. */
export const ENVELOPE_FIELDS: Readonly<Record<Endpoint, readonly string[]>> = {
  playground: ["config", "inputs"],
  deployed: ["environment", "variant", "inputs"],
};
const VARIANT_FIELDS = ["slug", "revision"];

/**
 * Reads the fields around the inputs; the inputs themselves are the route's to check. Null where a field is
 * wrong: `envelopeFaults` says which, and why.
 */
export function readEnvelope(body: unknown, endpoint: Endpoint): Envelope | null {
  if (!isRecordOf(ENVELOPE_FIELDS[endpoint], body)) return null;
  const inputs = Object.hasOwn(body, "inputs") ? body.inputs : undefined;
  if (endpoint === "playground") {
    const config = Object.hasOwn(body, "config") ? body.config : {};
    return isRecord(config) ? { endpoint, config, inputs } : null;
  }
  const wanted = wantedIn(body);
  return wanted && { endpoint, wanted, inputs };
}

function wantedIn(body: Dictionary): Wanted | null {
  const hasEnvironment = Object.hasOwn(body, "environment");
  const hasVariant = Object.hasOwn(body, "variant");
  const { environment, variant } = body;
  if (hasEnvironment && hasVariant) return null;
  if (hasVariant) return variantIn(variant);
  if (!hasEnvironment) return { by: "default" };
  return isName(environment) ? { by: "environment", environment } : null;
}

function variantIn(given: unknown): Wanted | null {
  if (!isRecordOf(VARIANT_FIELDS, given)) return null;
  const { slug: variant, revision = null } = given;
  if (!isName(variant)) return null;
  if (revision === null) return { by: "variant", variant, revision };
  const isRevision =
    typeof revision === "number" && Number.isSafeInteger(revision) && revision >= 1;
  return isRevision ? { by: "variant", variant, revision } : null;
}

/** True of an object with none but these fields. */
function isRecordOf(fields: readonly string[], value: unknown): value is Dictionary {
  if (!isRecord(value)) return false;
  // On the path of every call: a callback a key shows there.
  for (const key of Object.keys(value)) if (!fields.includes(key)) return false;
  return true;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/**
 * Says which revision the configuration of a playground call is: `default@3`, or `default@3; edited` where
 * some of its values were changed.
 */
const HEADER = "agate-variant";

const VALUE = /^([a-z0-9]+(?:[-_.][a-z0-9]+)*)@([1-9]\d{0,8})(; ?edited)?$/;

/** The revision that a playground call ran with, or that its configuration was edited from. */
export interface PlaygroundVariant {
  readonly name: string;
  readonly revision: number;
  readonly isEdited: boolean;
}

/** Null where the caller names none. It is a label on spans: what cannot be read is ignored. */
export function playgroundVariant(
  header: (name: string) => string | null,
): PlaygroundVariant | null {
  const [, name, revision, edited] = VALUE.exec(header(HEADER) ?? "") ?? [];
  if (name === undefined) return null;
  return { name, revision: Number(revision), isEdited: edited !== undefined };
}
