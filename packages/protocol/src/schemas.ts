export { analyticsSchema } from "./analytics-schema.ts";
export { errorBodySchema, errorDetailSchema } from "./error-body-schema.ts";
export { apiKeySchema, createdApiKeySchema } from "./registry/api-key-schema.ts";
export { applicationSchema } from "./registry/application-schema.ts";
export { buildManifestSchema } from "./registry/build-manifest-schema.ts";
export { buildSchema, deployResultSchema } from "./registry/build-schema.ts";
export { configDiffSchema } from "./registry/config-diff-schema.ts";
export { deploymentSchema } from "./registry/deployment-schema.ts";
export { environmentSchema } from "./registry/environment-schema.ts";
export { projectSchema } from "./registry/project-schema.ts";
export { projectRedactionSchema } from "./registry/redaction-rules-schema.ts";
export { listedRevisionSchema, revisionSchema } from "./registry/revision-schema.ts";
export { applicationSchemaSchema } from "./registry/route-schema-schema.ts";
export { registryVariantSchema } from "./registry/variant-schema.ts";
export { resolvedConfigSchema } from "./resolved-config-schema.ts";
export { sessionSchema } from "./session-schema.ts";
export {
  contentSchema,
  figuresSchema,
  listedSpanSchema,
  metadataSchema,
  spanRecordSchema,
  variantSchema,
} from "./span-record-schema.ts";
export { usageSchema } from "./usage-schema.ts";
