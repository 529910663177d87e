// Nothing here loads zod, so worker threads may import it. Schemas: ./schemas.ts
export { AGATE_ATTRIBUTES } from "./agate-attributes.ts";
export type {
  Analytics,
  AnalyticsBucket,
  AnalyticsFigures,
  AnalyticsGroup,
  AnalyticsGrouping,
} from "./analytics.ts";
export { ANALYTICS_GROUPINGS } from "./analytics.ts";
export { closestName } from "./closest-name.ts";
export type { ErrorBody, ErrorDetail } from "./error-body.ts";
export { pathText } from "./path-text.ts";
export type { ApiKey, CreatedApiKey, Scope } from "./registry/api-key.ts";
export { includesScope, SCOPES, SERVER_SCOPES } from "./registry/api-key.ts";
export type { Application } from "./registry/application.ts";
export type {
  Build,
  BuildStatus,
  DeployEvents,
  DeployResult,
  DeployStep,
} from "./registry/build.ts";
export { BUILD_STATUSES, DEPLOY_STEPS } from "./registry/build.ts";
export type {
  BuildFile,
  BuildInstall,
  BuildManifest,
  BuildPermission,
} from "./registry/build-manifest.ts";
export { BUILD_FORMAT, BUILD_MANIFEST_FILE, BUILD_PERMISSIONS } from "./registry/build-manifest.ts";
export type { ConfigDiff, FieldDiff, RouteDiff } from "./registry/config-diff.ts";
export type { ConfigFault } from "./registry/config-faults.ts";
export { configFaults } from "./registry/config-faults.ts";
export type { Deployment, DeploymentKind } from "./registry/deployment.ts";
export { DEPLOYMENT_KINDS } from "./registry/deployment.ts";
export { diffParams } from "./registry/diff-params.ts";
export type { Environment } from "./registry/environment.ts";
export type { LeafChange } from "./registry/leaf-changes.ts";
export { expandFieldDiff, leafChanges } from "./registry/leaf-changes.ts";
export type { LogLine } from "./registry/log-line.ts";
export { DEV_BUILD } from "./registry/log-line.ts";
export { mergeConfig } from "./registry/merge-config.ts";
export type { Project } from "./registry/project.ts";
export { DEFAULT_PROJECT_ID } from "./registry/project.ts";
export type {
  CustomPattern,
  ProjectRedaction,
  RedactionPattern,
  RedactionRules,
} from "./registry/redaction-rules.ts";
export { isEmptyRedaction, NO_REDACTION, REDACTION_PATTERNS } from "./registry/redaction-rules.ts";
export { isRecord, itemCount, refusedBy } from "./registry/refused-by.ts";
export type { ListedRevision, Revision, RouteParams } from "./registry/revision.ts";
export type { RevisionRef } from "./registry/revision-ref.ts";
export { parseRevisionRef, revisionRefText } from "./registry/revision-ref.ts";
export type {
  ApplicationSchema,
  ConfigFieldSchema,
  ConfigFieldType,
  RouteSchema,
} from "./registry/route-schema.ts";
export { fieldType, isNullable } from "./registry/route-schema.ts";
export type { IdPrefix } from "./registry/slug.ts";
export { ID_LENGTH, ID_PREFIXES, isSlug, looksLikeId, slugFault } from "./registry/slug.ts";
export type { RegistryVariant, VariantRevision } from "./registry/variant.ts";
export type { ResolvedConfig } from "./resolved-config.ts";
export { isSameJson } from "./same-json.ts";
export type { Session, SessionCaller } from "./session.ts";
export { shownChoices, shownValue } from "./shown-value.ts";
export type { SpanKind } from "./span-kind.ts";
export { SPAN_KINDS } from "./span-kind.ts";
export type { Figures, ListedSpan, SpanRecord, Variant } from "./span-record.ts";
export type { SpanStatus } from "./span-status.ts";
export { SPAN_STATUSES } from "./span-status.ts";
export type { TemplatePart } from "./template.ts";
export { splitTemplate, templateName, unknownVariable, VARIABLE_SYNTAX } from "./template.ts";
export { unknownName } from "./unknown-name.ts";
export type { Usage } from "./usage.ts";
export { USAGE_FIELDS } from "./usage-fields.ts";
