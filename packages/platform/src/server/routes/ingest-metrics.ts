import { JSON_TYPE } from "../answer.ts";
import type { Route } from "../route.ts";
import { route } from "../route.ts";
import {
  type IngestRouteOptions,
  OTLP_ERRORS,
  OTLP_PLACES,
  PROTOBUF_TYPE,
  receiveOtlp,
} from "./ingest-traces.ts";

/** `POST /v1/metrics`, and the same where other products have it. */
export function ingestMetricsRoutes(options: IngestRouteOptions): readonly Route[] {
  const binary = { type: "string", contentMediaType: PROTOBUF_TYPE } as const;
  return OTLP_PLACES.map(({ prefix, id, as }) =>
    route({
      method: "POST",
      path: `${prefix}/v1/metrics`,
      access: "ingest",
      clients: "any",
      id: `exportMetrics${id}`,
      tag: "ingest",
      summary: `Send metrics, which are not stored (OTLP/HTTP)${as}`,
      description:
        "Takes an OTLP `ExportMetricsServiceRequest`, as protobuf or JSON, with `content-encoding: gzip`, `zstd`, `deflate` or none, so that clients which export metrics beside their spans report no errors. Nothing is stored; `partial_success` of the first answer to a project says it.",
      requestBody: { [PROTOBUF_TYPE]: binary, [JSON_TYPE]: "OtlpMetricsRequest" },
      success: {
        status: 200,
        description: "The data points were counted.",
        body: { [PROTOBUF_TYPE]: binary, [JSON_TYPE]: "OtlpMetricsResponse" },
      },
      errors: OTLP_ERRORS,
      answer: ({ incoming, caller }) => receiveOtlp("metrics", incoming, caller, options),
    }),
  );
}
