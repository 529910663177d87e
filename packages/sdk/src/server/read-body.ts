import { type CallError, callError } from "./call-error.ts";

export type BodyOutcome =
  | { readonly kind: "read"; readonly value: unknown }
  | { readonly kind: "refused"; readonly error: CallError };

/** Reads a request's JSON body, of which at most `maxBytes` are taken. */
export async function readBody(request: Request, maxBytes: number): Promise<BodyOutcome> {
  const type = request.headers.get("content-type");
  // A page of another site can send forms and plain text here without asking, but not JSON.
  if (type === null || !/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    return refused("content_type_unsupported", ["header", "content-type"], unsupported(type));
  }
  const announced = Number(request.headers.get("content-length"));
  if (announced > maxBytes) return tooLarge(maxBytes);
  const text = announced > 0 ? await request.text() : await readAtMost(request, maxBytes);
  if (text === null) return tooLarge(maxBytes);
  try {
    return { kind: "read", value: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return refused("body_undecodable", ["body"], `The body is not JSON: ${reason}.`);
  }
}

// A body without a length is only known to be too large once that much of it has come.
async function readAtMost(request: Request, maxBytes: number): Promise<string | null> {
  if (request.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of request.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function unsupported(type: string | null): string {
  return `Takes application/json, not ${type ?? "a body without a type"}. Send the header "content-type: application/json".`;
}

function tooLarge(maxBytes: number): BodyOutcome {
  return refused("body_too_large", ["body"], `The body is larger than ${maxBytes} bytes.`);
}

function refused(...args: Parameters<typeof callError>): BodyOutcome {
  return { kind: "refused", error: callError(...args) };
}
