// Sentry as the guide sets it up, but for a transport that prints.
//   --rate R     tracesSampleRate; without it, none
//   --otel       Sentry is OpenTelemetry's global provider, too
//   --static     spans are sent as transactions
//   --unaware    Sentry has not been told to ignore what is sent to Agate
import { parseArgs } from "node:util";
import * as Sentry from "@sentry/node";
import { printEnvelope } from "./print-envelope.ts";

const { values } = parseArgs({
  options: {
    rate: { type: "string" },
    otel: { type: "boolean" },
    static: { type: "boolean" },
    unaware: { type: "boolean" },
  },
  strict: false,
});

const agate = process.env.AGATE_BASE_URL ?? "";
// Else its spans would be among the others' whenever the calls take longer than Agate waits to send.
const ignoreOutgoingRequests = (url: string) => url.startsWith(agate);

Sentry.init({
  dsn: "http://key@127.0.0.1:9/1",
  ...(values.rate !== undefined && { tracesSampleRate: Number(values.rate) }),
  enableOpenTelemetrySetup: values.otel === true,
  traceLifecycle: values.static ? "static" : "stream",
  ...(!values.unaware && {
    integrations: [Sentry.nativeNodeFetchIntegration({ ignoreOutgoingRequests })],
  }),
  transport: () => ({ send: async (envelope) => printEnvelope(envelope), flush: async () => true }),
});
