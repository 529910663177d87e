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

/** `POST /v1/logs`, and the same where other products have it. */
export function ingestLogsRoutes(options: IngestRouteOptions): readonly Route[] {
  const binary = { type: "string", contentMediaType: PROTOBUF_TYPE } as const;
  return OTLP_PLACES.map(({ prefix, id, as }) =>
    route({
      method: "POST",
      path: `${prefix}/v1/logs`,
      access: "ingest",
      clients: "any",
      id: `exportLogs${id}`,
      tag: "ingest",
      summary: `Send messages and evaluation results (OTLP/HTTP)${as}`,
      description:
        "Takes an OTLP `ExportLogsServiceRequest`, as protobuf or JSON, with `content-encoding: gzip`, `zstd`, `deflate` or none. Log records with the event name `gen_ai.evaluation.result` become scores of the span that they name; those with messages of a model call (`gen_ai.user.message`, `gen_ai.choice` …) are its content, whichever comes first. Records of other names are counted and not stored, which `partial_success` of the first answer to a project says; it always says how many results were rejected, and why.",
      requestBody: { [PROTOBUF_TYPE]: binary, [JSON_TYPE]: "OtlpLogsRequest" },
      success: {
        status: 200,
        description: "Everything that was not rejected is on disk.",
        body: { [PROTOBUF_TYPE]: binary, [JSON_TYPE]: "OtlpLogsResponse" },
      },
      errors: OTLP_ERRORS,
      answer: ({ incoming, caller }) => receiveOtlp("logs", incoming, caller, options),
    }),
  );
}
