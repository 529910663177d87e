import { VERSION } from "../version.ts";
import type { Answer } from "./answer.ts";

/**
 * The headers of an answer, with those that every answer of the platform carries: names and values
 * in turn, the form that Node takes fastest.
 */
export function headersOf(answer: Answer): string[] {
  const headers = ["agate-version", VERSION, "x-content-type-options", "nosniff"];
  if (answer.contentType !== null) headers.push("content-type", answer.contentType);
  if (answer.headers !== undefined) headers.push(...Object.entries(answer.headers).flat());
  return headers;
}
