import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { startFlowServer, withFlowOptions } from "@genkit-ai/express";
import { genkit, z } from "genkit";
import { enableTelemetry } from "genkit/tracing";
import { summarize } from "./summarize.ts";

// Genkit traces every flow but sends its traces nowhere by itself. Here they go where
// OTEL_EXPORTER_OTLP_ENDPOINT says, in batches, by the OpenTelemetry packages that Genkit brings.
const own = createRequire(createRequire(import.meta.url).resolve("@genkit-ai/core"));
const { OTLPTraceExporter } = own("@opentelemetry/exporter-trace-otlp-proto");
const { BatchSpanProcessor } = own("@opentelemetry/sdk-trace-base");
if (process.env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) {
  const processor = new BatchSpanProcessor(new OTLPTraceExporter(), { maxQueueSize: 8_192 });
  await enableTelemetry({ spanProcessors: [processor] });
}
const ai = genkit({});
const flow = ai.defineFlow(
  {
    name: "summarize",
    inputSchema: z.object({
      text: z.string(),
      words: z.number().int().min(1).max(100).default(8),
      prompt: z.string().default("In short:"),
    }),
    outputSchema: z.string(),
  },
  async ({ text, words, prompt }) => summarize(text, words, prompt),
);
// It takes no port 0, so a free one is found first.
const probe = createServer().listen(0, "127.0.0.1");
await once(probe, "listening");
const { port } = probe.address() as AddressInfo;
probe.close();
await once(probe, "close");
startFlowServer({ flows: [withFlowOptions(flow, { path: "run/summarize" })], port });
process.stdout.write(`listening ${port}\n`);
