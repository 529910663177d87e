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
export { closestName, unknownName } from "./closest-name.ts";
export type { ErrorBody, ErrorDetail } from "./error-body.ts";
export type { ApplicationEvaluations } from "./evaluations/application-evaluations.ts";
export type { EvaluationScore } from "./evaluations/evaluator-api.ts";
export type {
  AddedCases,
  AddedResults,
  ColumnFigures,
  NewPlatformRun,
  NewRun,
  NewRunCase,
  NewRunResult,
  NewRunScore,
  Run,
  RunCase,
  RunCaseColumn,
  RunColumn,
  RunCosts,
  RunFigures,
  RunItem,
  Runner,
  RunPlan,
  RunReport,
  RunResult,
  RunScore,
  RunScorer,
  RunStatus,
  RunTestset,
  ScoreCounts,
  ScoreFigures,
  ScorerKind,
} from "./evaluations/run.ts";
export {
  BASELINE_COLUMN,
  MOST_CASE_BYTES,
  MOST_OUTPUT_BYTES,
  MOST_RUN_BATCH,
  MOST_RUN_CASES,
  MOST_RUN_COLUMNS,
  MOST_RUN_CONCURRENCY,
  MOST_RUN_ITEMS,
  MOST_RUN_SCORERS,
  MOST_RUN_TRIALS,
  RUN_STATUSES,
  RUNNERS,
  SCORER_KINDS,
} from "./evaluations/run.ts";
export type { FirstAnswers, ListedPage, WriteFirstRows } from "./first-answers.ts";
export { FIRST_ANSWERS_ID, FIRST_TRACES, LATE_PARTS_ID } from "./first-answers.ts";
export { isDeeperThan, isRecord, isSameJson, mergeConfig } from "./json-value.ts";
export type { Scope } from "./registry/access.ts";
export { DEFAULT_PROJECT_ID, includesScope, SCOPES, SERVER_SCOPES } from "./registry/access.ts";
export type { ApiKey, CreatedApiKey } from "./registry/api-key.ts";
export type { Application } from "./registry/application.ts";
export type {
  Build,
  BuildStatus,
  ConfigNote,
  DeployEvents,
  DeployResult,
  DeployStep,
} from "./registry/build.ts";
export type {
  BuildFile,
  BuildInstall,
  BuildManifest,
  BuildPermission,
} from "./registry/build-manifest.ts";
export { BUILD_FORMAT, BUILD_MANIFEST_FILE, BUILD_PERMISSIONS } from "./registry/build-manifest.ts";
export type { ConfigDiff, FieldDiff, LeafChange, RouteDiff } from "./registry/config-diff.ts";
export { diffParams, expandFieldDiff, leafChanges } from "./registry/config-diff.ts";
export type { ConfigFault } from "./registry/config-faults.ts";
export {
  configFaults,
  fieldType,
  isNullable,
  itemCount,
  refusedBy,
} from "./registry/config-faults.ts";
export { configNotes } from "./registry/config-notes.ts";
export type {
  BuildKind,
  DeployedBuild,
  Deployment,
  DeploymentKind,
  Environment,
  Promotion,
} from "./registry/environment.ts";
export type { EnvironmentName } from "./registry/key-limit.ts";
export {
  isKeyEnvironment,
  isWithinLimit,
  KEY_ENVIRONMENT_RULE,
  KEY_ENVIRONMENT_SCHEMA,
  MOST_KEY_ENVIRONMENTS,
  reachesEnvironment,
} from "./registry/key-limit.ts";
export type { LogLine } from "./registry/log-line.ts";
export { DEV_BUILD } from "./registry/log-line.ts";
export type { Project, ProjectRedaction } from "./registry/project.ts";
export type {
  CustomPattern,
  RedactionPattern,
  RedactionRules,
} from "./registry/redaction-rules.ts";
export { isEmptyRedaction, NO_REDACTION, REDACTION_PATTERNS } from "./registry/redaction-rules.ts";
export type { ListedRevision, ResolvedConfig, Revision, RouteParams } from "./registry/revision.ts";
export type { RevisionRef } from "./registry/revision-ref.ts";
export { parseRevisionRef, revisionRefText } from "./registry/revision-ref.ts";
export type {
  ApplicationSchema,
  ConfigFieldSchema,
  ConfigFieldType,
  RouteSchema,
} from "./registry/route-schema.ts";
export type {
  ListedScorersRevision,
  ScorerConfigs,
  ScorersRevision,
} from "./registry/scorers-revision.ts";
export type { ServerState, ServerStatus } from "./registry/server-status.ts";
export type { IdPrefix } from "./registry/slug.ts";
export {
  ID_LENGTH,
  ID_PREFIXES,
  isSlug,
  looksLikeId,
  nearestSlug,
  SLUG_SCHEMA,
  slugFault,
} from "./registry/slug.ts";
export type {
  EnvironmentVariables,
  RekeyResult,
  Variable,
  VariableAction,
  VariableHistoryEntry,
} from "./registry/variable.ts";
export { VARIABLE_NAME_SCHEMA, variableNameFault } from "./registry/variable-name.ts";
export type { RegistryVariant, VariantRevision } from "./registry/variant.ts";
export type { JsonSchema } from "./schema-ref.ts";
export { resolveSchema } from "./schema-ref.ts";
export type { Score, ScoreSource, ScoreSourceKind, ScoreStatus } from "./score.ts";
export { SCORE_SOURCE_KINDS, SCORE_STATUSES } from "./score.ts";
export type {
  NamedScoreAnalytics,
  ScoreAnalytics,
  ScoreAnalyticsBucket,
  ScoreAnalyticsFigures,
  ScoreAnalyticsGroup,
  ScoreGrouping,
} from "./score-analytics.ts";
export { SCORE_GROUPINGS } from "./score-analytics.ts";
export type { Session, SessionCaller } from "./session.ts";
export { choiceList, mustBe, pathText, shownChoices, shownValue } from "./shown-value.ts";
export type {
  Figures,
  ListContent,
  ListedSpan,
  SpanKind,
  SpanRecord,
  SpanStatus,
  TotalFigures,
  TrafficFilter,
  TruncatedField,
  Usage,
  Variant,
} from "./span-record.ts";
export {
  LIST_CONTENTS,
  SPAN_KINDS,
  SPAN_STATUSES,
  TRAFFIC,
  TRUNCATED_FIELDS,
  USAGE_FIELDS,
} from "./span-record.ts";
export type { TemplatePart } from "./template.ts";
export { splitTemplate, templateName, unknownVariable, VARIABLE_SYNTAX } from "./template.ts";
export type { RowSource, TestRow } from "./testsets/test-row.ts";
export type {
  AddedSpans,
  RouteBinding,
  RowCounts,
  RowDiff,
  TestSet,
  TestSetCommit,
  TestSetDiff,
  TestSetRef,
  TestSetRevision,
} from "./testsets/test-set.ts";
