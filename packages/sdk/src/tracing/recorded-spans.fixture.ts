import type { SpanRecord } from "@agate/protocol";
import type { OtlpSpan } from "@agate/spans";
import { Collector } from "./collector.fixture.ts";
import { createTelemetry } from "./create-telemetry.ts";
import { Secrets } from "./secrets.ts";
import { type Telemetry, telemetrySlot } from "./telemetry.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";

/** Runs code as in a call of an app, and gives what was exported of it. */
export async function recordedSpans(
  run: (telemetry: Telemetry) => unknown,
  options: TelemetryOptions & { readonly secrets?: Secrets } = {},
): Promise<RecordedSpans> {
  const collector = await new Collector().start();
  const telemetry = createTelemetry({
    baseUrl: collector.url,
    secrets: new Secrets(),
    onWarning: () => undefined,
    ...options,
  });
  try {
    await telemetrySlot.run(telemetry, () => run(telemetry));
  } finally {
    await telemetry.shutdown();
    await collector.stop();
  }
  return new RecordedSpans(collector);
}

export class RecordedSpans {
  readonly spans: readonly OtlpSpan[];
  /** Everything that was sent, as text. */
  readonly sent: string;
  readonly #collector: Collector;

  constructor(collector: Collector) {
    this.spans = collector.spans;
    this.sent = Buffer.concat(collector.bodies).toString();
    this.#collector = collector;
  }

  named(name: string): OtlpSpan {
    return this.#collector.named(name);
  }

  attributes(name: string): Record<string, unknown> {
    return Object.fromEntries(this.named(name).attributes);
  }

  /** The JSON of a field; undefined when it was not recorded. */
  content(name: string, field: keyof SpanRecord["content"]): unknown {
    const text = this.named(name).attributes.get(`ag.content.${field}`);
    return text === undefined ? undefined : JSON.parse(String(text));
  }

  parentName(name: string): string | undefined {
    const { parentSpanId } = this.named(name);
    return this.spans.find((span) => span.spanId === parentSpanId)?.name;
  }
}
