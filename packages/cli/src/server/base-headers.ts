import { VERSION } from "../version.ts";
import type { Answer } from "./answer.ts";

/** The headers of an answer, with those that every answer of the platform carries. */
export function headersOf(answer: Answer): Record<string, string> {
  const headers: Record<string, string> = {
    "agate-version": VERSION,
    "x-content-type-options": "nosniff",
  };
  if (answer.contentType !== null) headers["content-type"] = answer.contentType;
  return answer.headers === undefined ? headers : Object.assign(headers, answer.headers);
}
