export { analyticsSchema } from "./analytics-schema.ts";
export { errorBodySchema, errorDetailSchema } from "./error-body.ts";
export { applicationEvaluationsSchema } from "./evaluations/application-evaluations-schema.ts";
export {
  addedCasesSchema,
  addedResultsSchema,
  runCaseSchema,
  runReportSchema,
  runResultSchema,
  runSchema,
} from "./evaluations/run-schema.ts";
export { apiKeySchema, createdApiKeySchema } from "./registry/api-key.ts";
export { applicationSchema } from "./registry/application.ts";
export { buildSchema, deployResultSchema } from "./registry/build.ts";
export { buildManifestSchema } from "./registry/build-manifest-schema.ts";
export { configDiffSchema } from "./registry/config-diff-schema.ts";
export { deploymentSchema, environmentSchema, promotionSchema } from "./registry/environment.ts";
export { projectRedactionSchema, projectSchema } from "./registry/project.ts";
export { listedRevisionSchema, resolvedConfigSchema, revisionSchema } from "./registry/revision.ts";
export { applicationSchemaSchema } from "./registry/route-schema.ts";
export { listedScorersRevisionSchema, scorersRevisionSchema } from "./registry/scorers-revision.ts";
export { serverStatusSchema } from "./registry/server-status.ts";
export { environmentVariablesSchema, rekeyResultSchema } from "./registry/variable.ts";
export { registryVariantSchema } from "./registry/variant.ts";
export { scoreAnalyticsSchema } from "./score-analytics-schema.ts";
export { scoreSchema } from "./score-schema.ts";
export { sessionSchema } from "./session.ts";
export {
  contentSchema,
  figuresSchema,
  listedSpanSchema,
  metadataSchema,
  spanRecordSchema,
  totalFiguresSchema,
  usageSchema,
  variantSchema,
} from "./span-record-schema.ts";
export {
  addedSpansSchema,
  testRowSchema,
  testSetCommitSchema,
  testSetDiffSchema,
  testSetRevisionSchema,
  testSetSchema,
} from "./testsets/test-set.ts";
