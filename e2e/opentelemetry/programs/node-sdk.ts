// A user's own OpenTelemetry set-up, which knows nothing of Agate.
import { NodeSDK } from "@opentelemetry/sdk-node";
import { SimpleSpanProcessor } from "@opentelemetry/sdk-trace";
import { PrintingExporter } from "./printing-exporter.ts";

const exporter = new PrintingExporter();
new NodeSDK({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }).start();
