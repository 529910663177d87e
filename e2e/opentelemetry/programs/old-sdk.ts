// An OpenTelemetry set-up of version 1, which other tools still bring along.
import { createRequire } from "node:module";
import * as ag from "@agate/sdk";
import { trace } from "@opentelemetry/api";
import type { SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import { PrintingExporter } from "./printing-exporter.ts";
import { serveUntilTold } from "./serve-until-told.ts";

interface OldSdk {
  readonly BasicTracerProvider: new () => {
    addSpanProcessor(processor: object): void;
    getTracer: typeof trace.getTracer;
  };
  readonly SimpleSpanProcessor: new (exporter: SpanExporter) => SpanProcessor;
}

// Genkit's own copy.
const genkit = createRequire(import.meta.url).resolve("@genkit-ai/core");
const oldSdk: OldSdk = createRequire(genkit)("@opentelemetry/sdk-trace-base");

const provider = new oldSdk.BasicTracerProvider();
provider.addSpanProcessor(ag.spanProcessor());
provider.addSpanProcessor(new oldSdk.SimpleSpanProcessor(new PrintingExporter()));
trace.setGlobalTracerProvider(provider);

class NoConfig extends ag.BaseModel {}

const describe = ag.instrument()(async function describe(stone: string) {
  return `${stone} is banded.`;
});

ag.route(
  "/look-up",
  NoConfig,
)(({ stone }: { stone: string }) =>
  trace.getTracer("database", "7").startActiveSpan("select", async (span) => {
    span.setAttribute("db.system", "stones");
    const description = await describe(stone);
    span.end();
    return description;
  }),
);

await serveUntilTold();
