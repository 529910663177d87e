import {
  analyticsSchema,
  applicationSchemaSchema,
  configDiffSchema,
  createdApiKeySchema,
  deployResultSchema,
  errorBodySchema,
  projectRedactionSchema,
  projectSchema,
  resolvedConfigSchema,
  revisionSchema,
  sessionSchema,
  spanRecordSchema,
} from "@agate/protocol/schemas";
import { z } from "zod";
import { apiKeyListSchema, projectListSchema } from "./access-schemas.ts";
import { buildListSchema } from "./deployment-schemas.ts";
import {
  applicationListSchema,
  deploymentListSchema,
  environmentListSchema,
  revisionListSchema,
  variantListSchema,
} from "./registry-schemas.ts";
import {
  failedSpansSchema,
  healthSchema,
  otlpTraceRequestSchema,
  otlpTraceResponseSchema,
  spanListSchema,
} from "./response-schemas.ts";

/** Where named schemas are found in an OpenAPI document. */
export const COMPONENT_PREFIX = "#/components/schemas/";

const BODIES = z.tuple([
  analyticsSchema,
  apiKeyListSchema,
  applicationListSchema,
  applicationSchemaSchema,
  buildListSchema,
  configDiffSchema,
  createdApiKeySchema,
  deployResultSchema,
  deploymentListSchema,
  environmentListSchema,
  errorBodySchema,
  failedSpansSchema,
  healthSchema,
  otlpTraceRequestSchema,
  otlpTraceResponseSchema,
  projectListSchema,
  projectRedactionSchema,
  projectSchema,
  resolvedConfigSchema,
  revisionListSchema,
  revisionSchema,
  sessionSchema,
  spanListSchema,
  spanRecordSchema,
  variantListSchema,
]);

/** Every named schema of the bodies, and of what they are made of, as JSON Schema 2020-12. */
export function componentSchemas(): Record<string, unknown> {
  const { $defs } = z.toJSONSchema(BODIES);
  return JSON.parse(JSON.stringify($defs).replaceAll('"#/$defs/', `"${COMPONENT_PREFIX}`));
}
