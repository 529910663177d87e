import { errorBodySchema, spanRecordSchema } from "@agate/protocol/schemas";
import { z } from "zod";
import {
  analyticsSchema,
  healthSchema,
  otlpTraceRequestSchema,
  otlpTraceResponseSchema,
  spanListSchema,
} from "./response-schemas.ts";

/** Where named schemas are found in an OpenAPI document. */
export const COMPONENT_PREFIX = "#/components/schemas/";

const BODIES = z.tuple([
  analyticsSchema,
  errorBodySchema,
  healthSchema,
  otlpTraceRequestSchema,
  otlpTraceResponseSchema,
  spanListSchema,
  spanRecordSchema,
]);

/** Every named schema of the bodies, and of what they are made of, as JSON Schema 2020-12. */
export function componentSchemas(): Record<string, unknown> {
  const { $defs } = z.toJSONSchema(BODIES);
  return JSON.parse(JSON.stringify($defs).replaceAll('"#/$defs/', `"${COMPONENT_PREFIX}`));
}
