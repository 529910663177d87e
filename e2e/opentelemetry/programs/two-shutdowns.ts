// Ends Agate and a set-up of the user's own, both of which have spans to send: `ours` or `theirs` first.
import * as ag from "@agate/sdk";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace";
import { PrintingExporter } from "./printing-exporter.ts";

const exporter = new PrintingExporter();
const sdk = new NodeSDK({
  spanProcessors: [new BatchSpanProcessor({ exporter }), ag.spanProcessor()],
});
sdk.start();

const describe = ag.instrument()(async function describe(stone: string) {
  return `${stone} is banded.`;
});
await ag.span("look up", () => describe("Agate"));

if (process.argv[2] === "ours") {
  await ag.shutdown();
  await sdk.shutdown();
} else {
  await sdk.shutdown();
  await ag.shutdown();
}
console.log(JSON.stringify({ statistics: ag.exportStatistics() }));
