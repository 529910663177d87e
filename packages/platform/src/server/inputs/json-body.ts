import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { mustBe, shownValue } from "@agate/protocol";
import type { Problem } from "../answer.ts";
import { JSON_TYPE } from "../answer.ts";
import type { ErrorType } from "../errors/error-types.ts";
import { readBody } from "./read-body.ts";

/** More than any document that the platform takes. */
const MOST_LEVELS = 256;

/** What may be wrong with a JSON body before its fields are looked at. */
export const JSON_BODY_ERRORS = [
  "body_undecodable",
  "body_too_large",
  "content_type_unsupported",
  "content_encoding_unsupported",
] as const satisfies readonly ErrorType[];

export type JsonBody =
  | { readonly kind: "json"; readonly value: unknown }
  /** The request has no body; it may name a type all the same, as many clients do. */
  | { readonly kind: "absent" }
  | { readonly kind: "problem"; readonly problem: Problem };

/** Reads a request's body as JSON, up to a number of bytes. Its content is not checked. */
export async function readJsonBody(incoming: IncomingMessage, limit: number): Promise<JsonBody> {
  const { headers } = incoming;
  if (isAbsent(headers)) return { kind: "absent" };
  const wrong = wrongType(headers) ?? wrongEncoding(headers);
  if (wrong !== undefined) return { kind: "problem", problem: wrong };
  const body = await readBody(incoming, limit);
  switch (body.kind) {
    case "too-large":
      return problem("body_too_large", `The body is larger than ${limit} bytes.`);
    case "broken-off":
      return problem("request_malformed", "The body ended early.");
    case "body":
      return body.bytes.length === 0 ? { kind: "absent" } : parse(body.bytes);
  }
}

function parse(bytes: Uint8Array): JsonBody {
  const text = decode(bytes);
  if (text === undefined) return problem("body_undecodable", "The body is not UTF-8.");
  if (isNestedDeeper(text, MOST_LEVELS)) {
    const msg = `The body has lists and objects more than ${MOST_LEVELS} deep in each other.`;
    return problem("body_undecodable", msg);
  }
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch (error) {
    // V8's message names the place, and repeats a few characters of what the client sent.
    const reason = error instanceof Error ? error.message : String(error);
    return problem("body_undecodable", `The body is not JSON: ${reason}.`);
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isAbsent(headers: IncomingHttpHeaders): boolean {
  const length = headers["content-length"] ?? "0";
  return (
    length === "0" &&
    headers["transfer-encoding"] === undefined &&
    headers["content-type"] === undefined
  );
}

function wrongType(headers: IncomingHttpHeaders): Problem | undefined {
  const given = headers["content-type"];
  // Parameters such as `charset=utf-8` say nothing: JSON is always UTF-8.
  const [type = ""] = (given ?? "").split(";");
  if (type.trim().toLowerCase() === JSON_TYPE) return undefined;
  return {
    type: "content_type_unsupported",
    loc: ["header", "content-type"],
    msg: mustBe(JSON_TYPE, given === undefined ? "no content type" : shownValue(given)),
  };
}

function wrongEncoding(headers: IncomingHttpHeaders): Problem | undefined {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.trim().toLowerCase() === "identity") return undefined;
  return {
    type: "content_encoding_unsupported",
    loc: ["header", "content-encoding"],
    msg: `The body must not be compressed (got ${shownValue(encoding)}).`,
  };
}

function problem(type: Problem["type"], msg: string): JsonBody {
  return { kind: "problem", problem: { type, loc: ["body"], msg } };
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\[]{}'].map(
  (letter) => letter.charCodeAt(0),
);

/**
 * Whether JSON nests lists and objects deeper than this. Looks at the text: a megabyte of brackets
 * would become a gigabyte of lists, and what walks them later would run out of stack.
 */
export function isNestedDeeper(json: string, levels: number): boolean {
  let depth = 0;
  let isText = false;
  for (let n = 0; n < json.length; n++) {
    const code = json.charCodeAt(n);
    if (isText) {
      if (code === BACKSLASH) n++;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) {
      isText = true;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (++depth > levels) return true;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      depth--;
    }
  }
  return false;
}
