import {
  addedCasesSchema,
  addedResultsSchema,
  addedSpansSchema,
  analyticsSchema,
  apiKeySchema,
  applicationEvaluationsSchema,
  applicationSchema,
  applicationSchemaSchema,
  buildSchema,
  configDiffSchema,
  createdApiKeySchema,
  deploymentSchema,
  deployResultSchema,
  environmentSchema,
  environmentVariablesSchema,
  errorBodySchema,
  listedRevisionSchema,
  listedScorersRevisionSchema,
  listedSpanSchema,
  projectRedactionSchema,
  projectSchema,
  promotionSchema,
  registryVariantSchema,
  rekeyResultSchema,
  resolvedConfigSchema,
  revisionSchema,
  runCaseSchema,
  runReportSchema,
  runResultSchema,
  runSchema,
  scoreAnalyticsSchema,
  scorersRevisionSchema,
  serverStatusSchema,
  sessionSchema,
  spanRecordSchema,
  testRowSchema,
  testSetCommitSchema,
  testSetDiffSchema,
  testSetRevisionSchema,
  testSetSchema,
} from "@agate/protocol/schemas";
import { z } from "zod";

// Routes name these as what they answer, and take the types from here. The schemas themselves are
// loaded with the OpenAPI document: zod whole and all of them cost 12 MB and tens of milliseconds.

const nextCursor = z.string().nullable().meta({ description: "Null on the last page." });

function listOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item) });
}

function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item), next_cursor: nextCursor });
}

const SCHEMAS = {
  AddedCases: addedCasesSchema,
  AddedResults: addedResultsSchema,
  AddedSpans: addedSpansSchema,
  Analytics: analyticsSchema,
  ApiKeyList: listOf(apiKeySchema).meta({ id: "ApiKeyList" }),
  Application: applicationSchema,
  ApplicationEvaluations: applicationEvaluationsSchema,
  ApplicationList: listOf(applicationSchema).meta({ id: "ApplicationList" }),
  ApplicationSchema: applicationSchemaSchema,
  Build: buildSchema,
  BuildList: pageOf(buildSchema).meta({ id: "BuildList" }),
  ConfigDiff: configDiffSchema,
  CreatedApiKey: createdApiKeySchema,
  DeployResult: deployResultSchema,
  Deployment: deploymentSchema,
  DeploymentList: pageOf(deploymentSchema).meta({ id: "DeploymentList" }),
  Environment: environmentSchema,
  EnvironmentList: listOf(environmentSchema).meta({ id: "EnvironmentList" }),
  EnvironmentVariables: environmentVariablesSchema,
  ErrorBody: errorBodySchema,
  Health: z.strictObject({ status: z.literal("ok"), version: z.string() }).meta({ id: "Health" }),
  OtlpLogsRequest: z.looseObject({ resourceLogs: z.array(z.looseObject({})).nullish() }).meta({
    id: "OtlpLogsRequest",
    description: "OTLP `ExportLogsServiceRequest` in its JSON form.",
    examples: [
      {
        resourceLogs: [
          {
            scopeLogs: [
              {
                logRecords: [
                  {
                    traceId: "5b8efff798038103d269b633813fc60c",
                    spanId: "eee19b7ec3c1b174",
                    timeUnixNano: "1794736802000000000",
                    eventName: "gen_ai.evaluation.result",
                    attributes: [
                      { key: "gen_ai.evaluation.name", value: { stringValue: "helpful" } },
                      { key: "gen_ai.evaluation.score.value", value: { doubleValue: 0.8 } },
                    ],
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  }),
  OtlpLogsResponse: z
    .strictObject({
      partialSuccess: z
        .strictObject({
          rejectedLogRecords: z
            .string()
            .optional()
            .meta({ description: "A number of 64 bits, as text." }),
          errorMessage: z.string().optional(),
        })
        .optional(),
    })
    .meta({ id: "OtlpLogsResponse", description: "OTLP `ExportLogsServiceResponse`." }),
  OtlpMetricsRequest: z
    .looseObject({ resourceMetrics: z.array(z.looseObject({})).nullish() })
    .meta({
      id: "OtlpMetricsRequest",
      description: "OTLP `ExportMetricsServiceRequest` in its JSON form.",
      examples: [
        {
          resourceMetrics: [
            {
              scopeMetrics: [
                {
                  metrics: [
                    {
                      name: "gen_ai.client.token.usage",
                      sum: { dataPoints: [{ timeUnixNano: "1794736802000000000", asInt: "120" }] },
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
    }),
  OtlpMetricsResponse: z
    .strictObject({
      partialSuccess: z
        .strictObject({
          rejectedDataPoints: z
            .string()
            .optional()
            .meta({ description: "A number of 64 bits, as text." }),
          errorMessage: z.string().optional(),
        })
        .optional(),
    })
    .meta({ id: "OtlpMetricsResponse", description: "OTLP `ExportMetricsServiceResponse`." }),
  OtlpTraceRequest: z.looseObject({ resourceSpans: z.array(z.looseObject({})).nullish() }).meta({
    id: "OtlpTraceRequest",
    description: "OTLP `ExportTraceServiceRequest` in its JSON form.",
    examples: [
      {
        resourceSpans: [
          {
            resource: {
              attributes: [{ key: "service.name", value: { stringValue: "my-app" } }],
            },
            scopeSpans: [
              {
                spans: [
                  {
                    traceId: "5b8efff798038103d269b633813fc60c",
                    spanId: "eee19b7ec3c1b174",
                    name: "answer",
                    kind: 1,
                    startTimeUnixNano: "1794736800000000000",
                    endTimeUnixNano: "1794736801000000000",
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  }),
  OtlpTraceResponse: z
    .strictObject({
      partialSuccess: z
        .strictObject({
          rejectedSpans: z
            .string()
            .optional()
            .meta({ description: "A number of 64 bits, as text." }),
          errorMessage: z.string().optional(),
        })
        .optional(),
    })
    .meta({ id: "OtlpTraceResponse", description: "OTLP `ExportTraceServiceResponse`." }),
  Project: projectSchema,
  ProjectList: listOf(projectSchema).meta({ id: "ProjectList" }),
  ProjectRedaction: projectRedactionSchema,
  Promotion: promotionSchema,
  PutScores: z.strictObject({ ids: z.array(z.string()) }).meta({ id: "PutScores" }),
  RegistryVariant: registryVariantSchema,
  RekeyResult: rekeyResultSchema,
  ResolvedConfig: resolvedConfigSchema,
  Revision: revisionSchema,
  RevisionList: pageOf(listedRevisionSchema).meta({ id: "RevisionList" }),
  ScoreAnalytics: scoreAnalyticsSchema,
  Run: runSchema,
  RunCaseList: pageOf(runCaseSchema).meta({ id: "RunCaseList" }),
  RunList: pageOf(runSchema).meta({ id: "RunList" }),
  RunReport: runReportSchema,
  RunResultList: pageOf(runResultSchema).meta({ id: "RunResultList" }),
  ScorersRevision: scorersRevisionSchema,
  ScorersRevisionList: pageOf(listedScorersRevisionSchema).meta({ id: "ScorersRevisionList" }),
  ServerList: listOf(serverStatusSchema).meta({ id: "ServerList" }),
  Session: sessionSchema,
  SpanList: pageOf(listedSpanSchema).meta({ id: "SpanList" }),
  SpanRecord: spanRecordSchema,
  TestRowList: z
    .strictObject({
      items: z.array(testRowSchema),
      next_cursor: nextCursor,
      revision: z.int().nonnegative().meta({ description: "The revision that was read." }),
    })
    .meta({ id: "TestRowList" }),
  TestSet: testSetSchema,
  TestSetCommit: testSetCommitSchema,
  TestSetDiff: testSetDiffSchema,
  TestSetList: listOf(testSetSchema).meta({ id: "TestSetList" }),
  TestSetRevision: testSetRevisionSchema,
  TestSetRevisionList: pageOf(testSetRevisionSchema).meta({ id: "TestSetRevisionList" }),
  VariantList: listOf(registryVariantSchema).meta({ id: "VariantList" }),
};

/** The name of a schema in the OpenAPI document. */
export type ComponentName = keyof typeof SCHEMAS;

/** What a component's schema describes. */
export type ComponentValue<Name extends ComponentName> = DeepReadonly<
  z.output<(typeof SCHEMAS)[Name]>
>;

type DeepReadonly<Value> = Value extends object
  ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
  : Value;

/** Where named schemas are found in an OpenAPI document. */
export const COMPONENT_PREFIX = "#/components/schemas/";

/** Every component, and what they are made of, as JSON Schema 2020-12. */
export function componentSchemas(): Record<string, unknown> {
  const [first, ...others] = Object.values(SCHEMAS);
  const { $defs } = z.toJSONSchema(z.tuple([first as z.ZodType, ...others]));
  return JSON.parse(JSON.stringify($defs).replaceAll('"#/$defs/', `"${COMPONENT_PREFIX}`));
}
