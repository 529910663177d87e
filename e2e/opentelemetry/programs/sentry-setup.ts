// Sentry as its users set it up, but for a transport that prints.
//   --rate R     tracesSampleRate; without it, none
//   --otel       Sentry is OpenTelemetry's global provider, too
//   --static     spans are sent as transactions
import { parseArgs } from "node:util";
import * as Sentry from "@sentry/node";
import { printEnvelope } from "./print-envelope.ts";

const { values } = parseArgs({
  options: { rate: { type: "string" }, otel: { type: "boolean" }, static: { type: "boolean" } },
  strict: false,
});

Sentry.init({
  dsn: "http://key@127.0.0.1:9/1",
  ...(values.rate !== undefined && { tracesSampleRate: Number(values.rate) }),
  enableOpenTelemetrySetup: values.otel === true,
  traceLifecycle: values.static ? "static" : "stream",
  transport: () => ({ send: async (envelope) => printEnvelope(envelope), flush: async () => true }),
});
