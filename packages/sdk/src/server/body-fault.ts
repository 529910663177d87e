import { jsonFault } from "@agate/protocol/json-fault";

/**
 * What is wrong with a body that is not JSON. Loaded for the first such body. The messages of `JSON.parse`
 * quote the body, which may hold values that are not recorded.
 */
export function bodyFault(text: string): string {
  if (text.trim() === "") return "The body is empty. Send a JSON object.";
  const fault = jsonFault(text);
  if (fault === null) return "The body is not JSON.";
  return `The body is not JSON, at line ${fault.line}, column ${fault.column}: ${fault.problem}`;
}
