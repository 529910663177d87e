import { VERSION } from "../version.ts";
import type { Answer, AnswerHeaders } from "./answer.ts";

/**
 * The headers of an answer, with those that every answer of the platform carries: names and values
 * in turn, the form that Node takes fastest.
 */
export function headersOf(answer: Answer): string[] {
  const headers = ["agate-version", VERSION, "x-content-type-options", "nosniff"];
  if (answer.contentType !== null) headers.push("content-type", answer.contentType);
  if (answer.headers === undefined) headers.push("cache-control", "no-store");
  else pushOwn(answer.headers, headers);
  return headers;
}

/** Recorded content must not stay in a browser or a proxy: what may be kept says so itself. */
function pushOwn(own: AnswerHeaders, headers: string[]): void {
  if (own["cache-control"] === undefined) headers.push("cache-control", "no-store");
  for (const name in own) headers.push(name, own[name] as string);
}
