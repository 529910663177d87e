import type { ErrorDetail } from "@agate/protocol";
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

type EnvelopeOutcome =
  | { readonly kind: "parsed"; readonly envelope: Envelope }
  | { readonly kind: "invalid"; readonly detail: readonly ErrorDetail[] };

const FIELDS: Readonly<Record<Endpoint, readonly string[]>> = {
  playground: ["config", "inputs"],
  deployed: ["environment", "variant", "inputs"],
};

/** Checks the fields around the inputs; the inputs themselves are the route's to check. */
export function parseEnvelope(body: unknown, endpoint: Endpoint): EnvelopeOutcome {
  const fields = FIELDS[endpoint];
  if (!isObject(body)) {
    return {
      kind: "invalid",
      detail: [invalid([], `The body is a JSON object with ${listed(fields)}.`)],
    };
  }
  const detail: ErrorDetail[] = [];
  for (const key of Object.keys(body)) {
    if (!fields.includes(key)) detail.push(unknownField(key, fields));
  }
  const inputs = Object.hasOwn(body, "inputs") ? body.inputs : undefined;
  const envelope: Envelope =
    endpoint === "playground"
      ? { endpoint, config: configOf(body, detail), inputs }
      : { endpoint, wanted: wantedOf(body, detail), inputs };
  return detail.length > 0 ? { kind: "invalid", detail } : { kind: "parsed", envelope };
}

function configOf(body: Dictionary, detail: ErrorDetail[]): Dictionary {
  if (!Object.hasOwn(body, "config")) return {};
  if (isObject(body.config)) return body.config;
  detail.push(invalid(["config"], "The configuration is an object of field names and values."));
  return {};
}

function wantedOf(body: Dictionary, detail: ErrorDetail[]): Wanted {
  const hasEnvironment = Object.hasOwn(body, "environment");
  const hasVariant = Object.hasOwn(body, "variant");
  if (hasEnvironment && hasVariant) {
    detail.push(invalid(["variant"], "Give an environment or a variant, not both."));
  } else if (hasEnvironment) {
    const { environment } = body;
    if (isName(environment)) return { by: "environment", environment };
    detail.push(invalid(["environment"], 'An environment is its slug, such as "production".'));
  } else if (hasVariant) {
    return variantOf(body.variant, detail);
  }
  return { by: "default" };
}

function variantOf(variant: unknown, detail: ErrorDetail[]): Wanted {
  const none: Wanted = { by: "default" };
  if (!isObject(variant)) {
    detail.push(
      invalid(["variant"], 'A variant is an object, such as {"slug": "concise", "revision": 3}.'),
    );
    return none;
  }
  for (const key of Object.keys(variant)) {
    if (key !== "slug" && key !== "revision") {
      detail.push(unknownField(key, ["slug", "revision"], ["variant"]));
    }
  }
  const { slug, revision = null } = variant;
  if (!isName(slug)) {
    detail.push(invalid(["variant", "slug"], 'A variant has a slug, such as "concise".'));
    return none;
  }
  if (revision === null) return { by: "variant", variant: slug, revision: null };
  if (typeof revision === "number" && Number.isSafeInteger(revision) && revision >= 1) {
    return { by: "variant", variant: slug, revision };
  }
  detail.push(invalid(["variant", "revision"], "A revision is a whole number from 1."));
  return none;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isObject(value: unknown): value is Dictionary {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(path: readonly (string | number)[], msg: string): ErrorDetail {
  return { loc: ["body", ...path], msg, type: "body_invalid" };
}

function unknownField(
  key: string,
  known: readonly string[],
  path: readonly string[] = [],
): ErrorDetail {
  const msg = `There is no field ${JSON.stringify(key)} here. The fields are ${listed(known)}.`;
  return { loc: ["body", ...path, key], msg, type: "unknown_field" };
}

function listed(fields: readonly string[]): string {
  const quoted = fields.map((field) => `"${field}"`);
  return `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
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
