import type { RouteMatch } from "../routes/route-table.ts";
import type { Call } from "../routes/route-types.ts";
import { startWorkflowSpan } from "../routes/workflow-span.ts";
import { TraceClock } from "../tracing/trace-clock.ts";
import { type Answer, jsonAnswer } from "./answer.ts";
import { callContext } from "./call-context.ts";
import type { CallError } from "./call-error.ts";
import { CallRecord } from "./call-record.ts";
import { CallSignal } from "./call-signal.ts";
import { checkOutput, outputText } from "./check-output.ts";
import { collectStream } from "./collect-stream.ts";
import { failureOf } from "./failure-of.ts";
import type { IncomingCall } from "./incoming-call.ts";
import { isStream } from "./is-stream.ts";
import { preparationAttributes } from "./preparation-attributes.ts";
import { type PreparedCall, prepareCall } from "./prepare-call.ts";
import { answerText, errorText, traceparent } from "./respond.ts";
import { streamEvents } from "./stream-events.ts";
import type { Workflow } from "./workflow.ts";

/** One call of a route, while it is answered. */
interface RunningCall {
  readonly workflow: Workflow;
  readonly match: RouteMatch;
  readonly incoming: IncomingCall;
  readonly record: CallRecord;
  readonly signal: CallSignal;
}

/** Answers one call of a route: checks it, runs the function in its span, and writes the result. */
export async function runCall(
  workflow: Workflow,
  match: RouteMatch,
  incoming: IncomingCall,
): Promise<Answer> {
  const { telemetry } = workflow;
  const { route, endpoint } = match;
  // The span is started when all is known that belongs on it, but it begins here.
  const clock = new TraceClock();
  const parent = telemetry.contextOf({ get: incoming.header });
  const signal = new CallSignal(incoming, route.timeout);
  const preparation = await prepareCall(workflow, match, incoming).catch(broken);
  const own = preparationAttributes(telemetry, route, preparation);
  const span = startWorkflowSpan(telemetry, route, endpoint, { parent, clock, own });
  const { traceId, spanId } = span.spanContext();
  const collection = endpoint === "playground" ? telemetry.collect(traceId, spanId) : null;
  const record = new CallRecord(workflow, route, span, collection);
  try {
    if (preparation.kind === "ready") {
      return await run({ workflow, match, incoming, record, signal }, preparation.call);
    }
    if (preparation.kind === "broken") throw preparation.thrown;
    signal.settle();
    return failed(record, preparation.error, await record.refuse(preparation.error));
  } catch (thrown) {
    signal.settle();
    const error = failureOf(thrown, signal);
    return failed(record, error, await record.fail(error, thrown));
  }
}

// A schema or a source that throws is a fault of the program: it is told like one of the function's.
function broken(thrown: unknown) {
  return { kind: "broken", thrown } as const;
}

async function run(running: RunningCall, call: PreparedCall): Promise<Answer> {
  const { workflow, match, incoming, record, signal } = running;
  const { route } = match;
  const within = callContext(workflow, route, call, record.span, signal);
  const returned = within(() => route.handler(call.inputs, new HandedCall(call, signal, record)));
  const result =
    route.timeout === undefined ? await returned : await Promise.race([returned, signal.aborted]);
  if (!isStream(result)) {
    const checked = checkOutput(route.output, result, "output");
    return answered(record, checked instanceof Promise ? await checked : checked, signal);
  }
  const reading = { stream: result, schema: route.chunk, signal, within };
  if (incoming.header("accept")?.includes("text/event-stream")) {
    return eventAnswer(record, streamEvents(reading, record), signal);
  }
  return answered(record, await collectStream(reading), signal);
}

/** What the handler is given. The signal is only made when it is asked for. */
class HandedCall implements Call<object> {
  readonly config: object;
  readonly span: Call<object>["span"];
  readonly #signal: CallSignal;

  constructor(call: PreparedCall, signal: CallSignal, record: CallRecord) {
    this.config = call.config;
    this.span = record.span;
    this.#signal = signal;
  }

  get signal(): AbortSignal {
    return this.#signal.signal;
  }
}

// Awaits nothing where there is no tree to wait for: each step less shows on the path of every call.
function answered(record: CallRecord, data: unknown, signal: CallSignal): Answer | Promise<Answer> {
  const text = outputText(data, "output");
  signal.settle();
  const answer = (trace: string | null) =>
    jsonAnswer(200, answerText(record.span, text, trace), {
      traceparent: traceparent(record.span),
    });
  const taking = record.succeed(data, text);
  return taking === null ? answer(null) : taking.then(answer);
}

function failed(record: CallRecord, error: CallError, trace: string | null): Answer {
  return jsonAnswer(error.status, errorText(record.shown(error), record.span, trace), {
    ...error.headers,
    traceparent: traceparent(record.span),
  });
}

function eventAnswer(
  record: CallRecord,
  events: AsyncGenerator<string, void, void>,
  signal: CallSignal,
): Answer {
  return {
    status: 200,
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      traceparent: traceparent(record.span),
    },
    body: { events, abandon: () => signal.abort("client-gone") },
  };
}
