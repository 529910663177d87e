// The same set-up, told of Agate.
import * as ag from "@agate/sdk";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { SimpleSpanProcessor } from "@opentelemetry/sdk-trace";
import { PrintingExporter } from "./printing-exporter.ts";

const exporter = new PrintingExporter();
new NodeSDK({
  spanProcessors: [ag.spanProcessor(), new SimpleSpanProcessor({ exporter })],
}).start();
