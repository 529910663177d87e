import type { ErrorType } from "../errors/error-types.ts";
import type { RouteRequest } from "../routes/route.ts";
import type { BodyFields, FieldsOutcome } from "./body-fields.ts";
import { readFields } from "./body-fields.ts";
import { readJsonBody } from "./read-json-body.ts";

/** What may be wrong with a body before anybody looks into it. */
export const JSON_BODY_ERRORS = [
  "body_undecodable",
  "body_too_large",
  "content_type_unsupported",
  "content_encoding_unsupported",
] as const satisfies readonly ErrorType[];

/** Reads these fields from a request's body, up to so many bytes. No body is one without fields. */
export async function readBodyFields<Fields extends BodyFields>(
  request: RouteRequest,
  fields: Fields,
  limit: number,
): Promise<FieldsOutcome<Fields>> {
  const body = await readJsonBody(request, limit);
  if (body.kind === "problem") return { kind: "problems", problems: [body.problem] };
  return readFields(fields, body.kind === "absent" ? {} : body.value);
}
