import { warnOnConsole } from "../runtime/console.ts";
import type { Workflow } from "../server/workflow.ts";
import { describeThrown } from "../tracing/describe-thrown.ts";
import type { Telemetry } from "../tracing/telemetry.ts";
import type { AppOptions } from "./app.ts";

/** Tells of what functions threw, as the app's options say. */
export function failureReporter(
  { onError }: AppOptions,
  telemetry: Telemetry,
): Workflow["reportFailure"] {
  return (thrown, route, span) => {
    const { traceId, spanId } = span.spanContext();
    try {
      // In the call's own span, so that what is told elsewhere can name it.
      if (onError !== undefined) {
        const told: unknown = telemetry.withSpan(span, () =>
          onError(thrown, { route, traceId, spanId }),
        );
        // An `async` one must not end the process by a rejection.
        if (told instanceof Promise) told.catch((error: unknown) => telemetry.fault(error));
      } else warnOnConsole(telemetry.redact(`${route} failed, trace ${traceId}: ${shown(thrown)}`));
    } catch (error) {
      // What tells of failures must not be one of them.
      telemetry.fault(error);
    }
  };
}

function shown(thrown: unknown): string {
  const { stack, message } = describeThrown(thrown);
  return stack ?? message;
}
