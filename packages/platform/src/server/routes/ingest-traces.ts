import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { mustBe, shownValue } from "@agate/protocol";
import type { Caller } from "../../access/caller.ts";
import { COMPRESSIONS, compressionOf } from "../../ingest/decompress.ts";
import type { IngestOutcome, IngestRequest, IngestService } from "../../ingest/ingest-service.ts";
import { RETRY_AFTER_SECONDS } from "../../ingest/ingest-service.ts";
import { NOT_KEPT, type Sender } from "../admit.ts";
import type { Answer, FullAnswer, Problem } from "../answer.ts";
import { JSON_TYPE, opaqueAnswer, problemAnswer, problemsAnswer } from "../answer.ts";
import type { ErrorType } from "../errors/error-types.ts";
import { readBody } from "../inputs/read-body.ts";
import type { Route } from "../route.ts";
import { route } from "../route.ts";

export const PROTOBUF_TYPE = "application/x-protobuf";

const CONTENT_TYPES: Readonly<Record<string, IngestRequest["encoding"]>> = {
  [PROTOBUF_TYPE]: "protobuf",
  [JSON_TYPE]: "json",
};
const RESPONSE_TYPES: Record<IngestRequest["encoding"], string> = {
  protobuf: PROTOBUF_TYPE,
  json: JSON_TYPE,
};

export interface IngestRouteOptions {
  readonly ingest: IngestService;
  /** Of the body as it is sent. */
  readonly maxBodyBytes: number;
  /** Told why the store could not write; the client is not. */
  readonly onUnavailable: (reason: string) => void;
}

/** What may be wrong with a request in OTLP. */
export const OTLP_ERRORS = [
  "body_undecodable",
  "body_too_large",
  "decompressed_body_too_large",
  "too_many_spans",
  "body_too_complex",
  "content_type_unsupported",
  "content_encoding_unsupported",
  "ingest_busy",
  "store_unavailable",
] as const satisfies readonly ErrorType[];

/** Where exporters of other products send: below the address that their users replace by Agate's. */
export const OTLP_PLACES = [
  { prefix: "", id: "", as: "" },
  { prefix: "/api/public/otel", id: "AsLangfuse", as: ", as to Langfuse" },
  { prefix: "/api/otlp", id: "AsAgenta", as: ", as to Agenta" },
  { prefix: "/otel", id: "AsLangSmith", as: ", as to LangSmith and Braintrust" },
] as const;

/** `POST /v1/traces`, and the same where other products have it. */
export function ingestTracesRoutes(options: IngestRouteOptions): readonly Route[] {
  const binary = { type: "string", contentMediaType: PROTOBUF_TYPE } as const;
  return OTLP_PLACES.map(({ prefix, id, as }) =>
    route({
      method: "POST",
      path: `${prefix}/v1/traces`,
      access: "ingest",
      clients: "any",
      id: `exportTraces${id}`,
      tag: "ingest",
      summary: `Send spans (OTLP/HTTP)${as}`,
      description:
        "Takes an OTLP `ExportTraceServiceRequest`, as protobuf or JSON, with `content-encoding: gzip`, `zstd`, `deflate` or none. The 200 comes when the spans are on disk, in the encoding of the request; `partial_success` says how many spans were rejected and why.",
      requestBody: { [PROTOBUF_TYPE]: binary, [JSON_TYPE]: "OtlpTraceRequest" },
      success: {
        status: 200,
        description: "Everything that was not rejected is on disk.",
        body: { [PROTOBUF_TYPE]: binary, [JSON_TYPE]: "OtlpTraceResponse" },
      },
      errors: OTLP_ERRORS,
      answer: ({ incoming, caller }) => receiveOtlp("traces", incoming, caller, options),
    }),
  );
}

/** Reads an OTLP request and answers when what it holds is on disk. */
export async function receiveOtlp(
  signal: IngestRequest["signal"],
  incoming: IncomingMessage & Sender,
  { project, pair }: Caller,
  options: IngestRouteOptions,
): Promise<Answer> {
  const { ingest, maxBodyBytes } = options;
  const { headers } = incoming;
  const encoding = encodingOf(headers);
  const compression = compressionOf(headers["content-encoding"]);
  if (encoding === undefined) return problemsAnswer([wrongType(headers)]);
  if (compression === undefined) {
    return problemAnswer(wrongEncoding(headers), {
      "accept-encoding": COMPRESSIONS.join(", "),
    });
  }
  const intake = ingest.begin();
  try {
    const body = await readBody(incoming, maxBodyBytes, intake.arrived);
    switch (body.kind) {
      case "too-large":
        return bodyTooLarge(maxBodyBytes);
      case "broken-off":
        return problemAnswer({
          type: "request_malformed",
          loc: ["body"],
          msg: "The body ended early.",
        });
      case "no-room":
        return busyAnswer(RETRY_AFTER_SECONDS);
      case "body": {
        const sender = { project, build: pair?.build };
        const outcome = await intake.ingest({
          signal,
          ...sender,
          encoding,
          compression,
          body: body.bytes,
        });
        if (outcome.kind === "unavailable") options.onUnavailable(outcome.reason);
        if (outcome.kind === "accepted" && outcome.notKept) incoming[NOT_KEPT] = outcome.notKept;
        return outcomeAnswer(outcome, encoding);
      }
    }
  } finally {
    intake.end();
  }
}

export function bodyTooLarge(maxBodyBytes: number): FullAnswer {
  const msg = `The body is larger than ${maxBodyBytes} bytes.`;
  return problemAnswer({ type: "body_too_large", loc: ["body"], msg });
}

/** What a client is told of how its request went. */
export function outcomeAnswer(
  outcome: IngestOutcome,
  encoding: IngestRequest["encoding"],
): FullAnswer {
  switch (outcome.kind) {
    case "accepted":
      return {
        kind: "full",
        status: 200,
        contentType: RESPONSE_TYPES[encoding],
        body: outcome.body,
      };
    case "undecodable":
      return problemAnswer({ type: "body_undecodable", loc: ["body"], msg: outcome.reason });
    case "too-large":
      return problemAnswer({
        type: "decompressed_body_too_large",
        loc: ["body"],
        msg: `The decompressed body is larger than ${outcome.limit} bytes.`,
      });
    case "too-many-spans":
      return problemAnswer({ type: "too_many_spans", loc: ["body"], msg: outcome.reason });
    case "too-complex":
      return problemAnswer({ type: "body_too_complex", loc: ["body"], msg: outcome.reason });
    case "busy":
      return busyAnswer(outcome.retryAfterSeconds);
    case "unavailable":
      return opaqueAnswer("store_unavailable", {
        "retry-after": String(outcome.retryAfterSeconds),
      });
  }
}

export function busyAnswer(retryAfterSeconds: number): FullAnswer {
  return problemAnswer(
    {
      type: "ingest_busy",
      loc: ["body"],
      msg: "Too many requests wait to be written; nothing of this one was kept.",
    },
    { "retry-after": String(retryAfterSeconds) },
  );
}

/** Parameters such as `charset=utf-8` say nothing here: JSON is always UTF-8. */
function encodingOf(headers: IncomingHttpHeaders): IngestRequest["encoding"] | undefined {
  const type = headers["content-type"] ?? "";
  const end = type.indexOf(";");
  return lookUp(CONTENT_TYPES, end < 0 ? type : type.slice(0, end));
}

function lookUp<Value>(table: Readonly<Record<string, Value>>, text: string): Value | undefined {
  const key = text.trim().toLowerCase();
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function wrongType(headers: IncomingHttpHeaders): Problem {
  const given = headers["content-type"];
  return {
    type: "content_type_unsupported",
    loc: ["header", "content-type"],
    msg: mustBe(
      `${PROTOBUF_TYPE} or ${JSON_TYPE}`,
      given === undefined ? "no content type" : shownValue(given),
    ),
  };
}

function wrongEncoding(headers: IncomingHttpHeaders): Problem {
  return {
    type: "content_encoding_unsupported",
    loc: ["header", "content-encoding"],
    msg: mustBe("gzip, zstd, deflate, or left out", shownValue(headers["content-encoding"] ?? "")),
  };
}
