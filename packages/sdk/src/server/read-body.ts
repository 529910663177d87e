import { jsonFault } from "../config-source/json-fault.ts";
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
    return refused("body_not_json", ["body"], notJson(text));
  }
}

// Not in the runtime's words: they quote the body, which may hold what is not to be recorded.
function notJson(text: string): string {
  if (text.trim() === "") return "The body is empty. Send a JSON object.";
  const fault = jsonFault(text);
  if (fault === null) return "The body is not JSON.";
  return `The body is not JSON, at line ${fault.line}, column ${fault.column}: ${fault.problem}`;
}

function unsupported(type: string | null): string {
  return `Takes application/json, not ${type ?? "a body without a type"}. Send the header "content-type: application/json".`;
}

function refused(...args: Parameters<typeof callError>): BodyOutcome {
  return { kind: "refused", error: callError(...args) };
}
