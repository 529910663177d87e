import { AGATE_ATTRIBUTES } from "@agate/protocol";
import type { Attributes, Span } from "@opentelemetry/api";
import { cancellationSlot, identitySlot } from "../context/call-state.ts";
import { contextWith } from "../context/context-slot.ts";
import { type Dictionary, type RoutingContext, routingSlot } from "../context/routing-context.ts";
import type { RouteDefinition, RouteMatch } from "../routes/route-table.ts";
import type { Call, EvaluationCall } from "../routes/route-types.ts";
import { callSlot, startWorkflowSpan } from "../routes/running-call.ts";
import { keepRequestAlive } from "../runtime/workers-runtime.ts";
import { TraceClock } from "../tracing/agate-span.ts";
import { telemetrySlot } from "../tracing/telemetry.ts";
import { traceparent } from "../tracing/trace-headers.ts";
import { isCancellation } from "../tracing/traced-call.ts";
import { type Answer, answerText, type EventSource, errorText, jsonAnswer } from "./answer.ts";
import type { CallError } from "./call-error.ts";
import { CallRecord, type EndedCall, preparationAttributes } from "./call-record.ts";
import { CallSignal } from "./call-signal.ts";
import { checkOutput, isStream, outputText, type Stream } from "./check-output.ts";
import type { IncomingCall } from "./incoming-call.ts";
import type { StreamReading } from "./output-stream.ts";
import { type PreparedCall, prepareCall, type Refused } from "./prepare-call.ts";
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
  const preparation = await prepareCall(workflow, match, incoming, signal);
  const own = preparationAttributes(telemetry, route, preparation);
  const span = startWorkflowSpan(telemetry, route, endpoint, { parent, clock, own });
  const { traceId, spanId } = span.spanContext();
  const isCollected = endpoint === "playground" || incoming.evaluated !== undefined;
  const collection = isCollected ? telemetry.collect(traceId, spanId) : null;
  const record = new CallRecord(workflow, route, span, collection, incoming.evaluated);
  try {
    switch (preparation.kind) {
      case "ready":
        // No client is left to take the answer.
        if (incoming.isGone) return await failed(record, record.cancel(), signal);
        return await run({ workflow, match, incoming, record, signal }, preparation.call);
      case "client-gone":
        return await failed(record, record.cancel(), signal);
      case "refused":
        return await failed(record, record.refuse(await shownRefusal(preparation, own)), signal);
      case "broken":
        throw preparation.thrown;
    }
  } catch (thrown) {
    return failed(record, await record.fail(thrown, signal), signal);
  }
}

/** Why a call may not run, without what is not recorded of its inputs and configuration. */
async function shownRefusal(refused: Refused, own: Attributes): Promise<CallError> {
  const { error, inputs, config } = refused;
  const recorded = (attribute: unknown) => (typeof attribute === "string" ? attribute : null);
  const { hideValues } = await import("./hide-values.ts");
  const detail = hideValues(error.detail, [
    { value: inputs, recorded: recorded(own[AGATE_ATTRIBUTES.inputs]) },
    { value: config, recorded: recorded(own[AGATE_ATTRIBUTES.config]) },
  ]);
  return { ...error, detail };
}

async function run(running: RunningCall, call: PreparedCall): Promise<Answer> {
  const { workflow, match, incoming, record, signal } = running;
  const { route } = match;
  const evaluation = incoming.evaluated?.evaluation;
  const within = callContext(workflow, route, call, record.span, signal, evaluation);
  signal.step = "running the function";
  const returned = within(() =>
    route.handler(call.inputs, new HandedCall(call, signal, record, evaluation)),
  );
  const result =
    route.timeout === undefined
      ? await returned
      : await beforeDeadline(returned, signal, (late) => readingOf(running, within, late));
  if (!isStream(result)) {
    signal.step = "checking the output";
    const checking = checkOutput(route.output, result, "output");
    const data = checking instanceof Promise ? await signal.beforeDeadline(checking) : checking;
    return answered(running, data, outputText(data, "output"));
  }
  signal.step = "streaming the output";
  signal.watchClient();
  // Loaded with the first stream: many workflows have none.
  const { ChunkSource, collectStream, streamEvents } = await import("./output-stream.ts");
  const reading = readingOf(running, within, result);
  if (incoming.header("accept")?.includes("text/event-stream")) {
    return eventAnswer(record, streamEvents(reading, record));
  }
  const source = new ChunkSource(reading);
  try {
    const text = await collectStream(source, record.chunks);
    return await answered(running, record.chunks.value(), text);
  } finally {
    source.leave();
  }
}

/** How a stream that the function returned is read. */
function readingOf(
  { match, incoming, record, signal }: RunningCall,
  within: StreamReading["within"],
  stream: Stream,
): StreamReading {
  return {
    stream,
    schema: match.route.chunk,
    signal,
    within,
    onLateError(thrown) {
      if (!isAbortOf(signal, thrown)) record.report(thrown);
    },
    keepAlive(leaving) {
      try {
        (incoming.waitUntil ?? keepRequestAlive)(leaving);
      } catch {
        // The request is over, which Next.js's `after` throws for; the function is told of it all the same.
      }
    },
  };
}

/** What the function returns in time. A stream that it returns later is left unread. */
async function beforeDeadline(
  returned: unknown,
  signal: CallSignal,
  read: (stream: Stream) => StreamReading,
): Promise<unknown> {
  const result = Promise.resolve(returned);
  try {
    return await signal.beforeDeadline(result);
  } catch (thrown) {
    result.then(
      (late) => {
        if (!isStream(late)) return;
        const reading = read(late);
        reading.keepAlive(leaveUnread(reading));
      },
      () => {},
    );
    throw thrown;
  }
}

async function leaveUnread(reading: StreamReading): Promise<void> {
  try {
    const { ChunkSource } = await import("./output-stream.ts");
    new ChunkSource(reading).leave();
  } catch (thrown) {
    reading.onLateError(thrown);
  }
}

function isAbortOf(signal: CallSignal, thrown: unknown): boolean {
  return isCancellation(thrown, signal) || (signal.cause !== null && thrown === signal.reason);
}

/** What the handler is given. The signal is only made when it is asked for. */
class HandedCall implements Call<object> {
  readonly config: object;
  readonly span: Call<object>["span"];
  readonly evaluation: EvaluationCall | undefined;
  readonly #signal: CallSignal;

  constructor(
    call: PreparedCall,
    signal: CallSignal,
    record: CallRecord,
    evaluation: EvaluationCall | undefined,
  ) {
    this.config = call.config;
    this.span = record.span;
    this.evaluation = evaluation;
    this.#signal = signal;
  }

  get signal(): AbortSignal {
    return this.#signal.signal;
  }
}

// Awaits nothing where there is no tree to wait for: each step less shows on the path of every call.
function answered(
  { record, signal }: RunningCall,
  outputs: unknown,
  text: string,
): Answer | Promise<Answer> {
  signal.settle();
  const taking = record.succeed(outputs, text);
  if (taking === null) return success(record, text, null);
  return taking.then((trace) => success(record, text, trace));
}

function success({ span }: CallRecord, text: string, trace: string | null): Answer {
  const headers = {
    "content-type": "application/json",
    traceparent: traceparent(span.spanContext()),
  };
  return { status: 200, headers, body: answerText(span, text, trace) };
}

async function failed(
  record: CallRecord,
  { error, trace }: EndedCall,
  signal: CallSignal,
): Promise<Answer> {
  signal.settle();
  return jsonAnswer(error.status, errorText(record.answered(error), record.span, await trace), {
    ...error.headers,
    traceparent: traceparent(record.span.spanContext()),
  });
}

function eventAnswer(record: CallRecord, body: EventSource): Answer {
  return {
    status: 200,
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      traceparent: traceparent(record.span.spanContext()),
    },
    body,
  };
}

/**
 * Runs functions inside a call: with everything that code in it can ask for, its telemetry, identity,
 * configuration and span.
 */
function callContext(
  workflow: Workflow,
  route: RouteDefinition,
  call: PreparedCall,
  span: Span,
  cancellation: CallSignal,
  evaluation: EvaluationCall | undefined,
): <R>(run: () => R) => R {
  const { telemetry, configSource } = workflow;
  const { config, params } = call;
  const inside = contextWith(
    telemetrySlot.holding(telemetry),
    identitySlot.holding(call.identity),
    routingSlot.holding(routingOf(call)),
    callSlot.holding({ route: route.path, params, configSource, config, evaluation }),
    cancellationSlot.holding(cancellation),
    telemetry.holding(span),
  );
  return (run) => inside(() => (telemetry.isActive(span) ? run() : telemetry.withSpan(span, run)));
}

function routingOf({ config, identity, params }: PreparedCall): RoutingContext {
  const { application, variantId, variantName, revision, environment } = identity;
  const routing: { -readonly [Name in keyof RoutingContext]: RoutingContext[Name] } = {
    config: config as Dictionary,
  };
  if (application !== null) routing.application = { slug: application };
  // On the playground it names where the values come from; nothing is read from that revision.
  if (variantName !== null && params !== null) {
    routing.variant = { id: variantId, slug: variantName, revision };
  }
  if (environment !== null) routing.environment = { slug: environment };
  return routing;
}
