import { randomBytes } from "node:crypto";
import { type Attributes, type OtlpSource, type OtlpSpan, sendOtlp } from "../../send-otlp.ts";

/** A trace of one span, as these tests send them. */
export interface SentTrace {
  readonly name: string;
  /** Named after the test that sends it, so that tests do not see each other's traces. */
  readonly application: string;
  /** Milliseconds since 1970; now, where nothing is said. */
  readonly start?: number;
  readonly latency?: number;
  readonly attributes?: Attributes;
  readonly status?: OtlpSpan["status"];
}

/** Sends traces; gives their spans, which can be sent again. */
export async function sendTraces(
  url: string,
  traces: readonly SentTrace[],
  source?: OtlpSource,
): Promise<readonly OtlpSpan[]> {
  const spans = traces.map(spanOf);
  await sendOtlp(url, spans, source);
  return spans;
}

function spanOf(trace: SentTrace): OtlpSpan {
  const { name, application, start = Date.now(), latency = 10, attributes, status } = trace;
  return {
    traceId: randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    name,
    start,
    end: start + latency,
    attributes: { "ag.application": application, ...attributes },
    ...(status && { status }),
  };
}
