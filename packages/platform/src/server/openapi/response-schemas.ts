import { listedSpanSchema } from "@agate/protocol/schemas";
import { z } from "zod";

// Bodies that only the server answers with; what other packages share is in @agate/protocol.

export const spanListSchema = z
  .strictObject({
    items: z.array(listedSpanSchema),
    next_cursor: z.string().nullable().meta({ description: "Null on the last page." }),
  })
  .meta({ id: "SpanList" });

export const failedSpansSchema = z
  .strictObject({ counts: z.record(z.string(), z.int().positive()) })
  .meta({ id: "FailedSpans" });

export const healthSchema = z
  .strictObject({ status: z.literal("ok"), version: z.string() })
  .meta({ id: "Health" });

export const otlpTraceRequestSchema = z
  .looseObject({ resourceSpans: z.array(z.looseObject({})) })
  .meta({
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
  });

export const otlpTraceResponseSchema = z
  .strictObject({
    partialSuccess: z
      .strictObject({
        rejectedSpans: z.string().optional().meta({ description: "A number of 64 bits, as text." }),
        errorMessage: z.string().optional(),
      })
      .optional(),
  })
  .meta({ id: "OtlpTraceResponse", description: "OTLP `ExportTraceServiceResponse`." });
