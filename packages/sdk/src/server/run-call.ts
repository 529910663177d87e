import { AGATE_ATTRIBUTES } from "@agate/protocol";
import { identitySlot } from "../context/identity.ts";
import { type Dictionary, type RoutingContext, routingSlot } from "../context/routing-context.ts";
import { callSlot } from "../routes/current-call.ts";
import type { RouteDefinition } from "../routes/route-definition.ts";
import type { RouteMatch } from "../routes/route-table.ts";
import type { Call } from "../routes/route-types.ts";
import { startWorkflowSpan } from "../routes/workflow-span.ts";
import { identityAttributes } from "../tracing/identity-attributes.ts";
import { recordContent } from "../tracing/record-content.ts";
import { telemetrySlot } from "../tracing/telemetry.ts";
import type { CallError } from "./call-error.ts";
import { CallRecord } from "./call-record.ts";
import { CallSignal } from "./call-signal.ts";
import { checkOutput, outputText } from "./check-output.ts";
import { collectStream } from "./collect-stream.ts";
import { eventBody } from "./event-stream.ts";
import { failureOf } from "./failure-of.ts";
import { isStream } from "./is-stream.ts";
import { type PreparedCall, prepareCall } from "./prepare-call.ts";
import { answerText, errorText, traceparent } from "./respond.ts";
import { streamEvents } from "./stream-events.ts";
import type { Workflow } from "./workflow.ts";

/** Answers one call of a route: checks it, runs the function in its span, and writes the result. */
export async function runCall(
  workflow: Workflow,
  match: RouteMatch,
  request: Request,
): Promise<Response> {
  const { telemetry } = workflow;
  const { route, endpoint } = match;
  const parent = telemetry.contextOf(request.headers);
  const span = startWorkflowSpan(telemetry, route, endpoint, parent);
  const { traceId, spanId } = span.spanContext();
  const collection = endpoint === "playground" ? telemetry.collect(traceId, spanId) : null;
  const record = new CallRecord(telemetry, span, collection);

  const preparation = await prepareCall(workflow, match, request);
  if (preparation.kind === "refused") {
    if ("inputs" in preparation) {
      recordContent(telemetry, span, "inputs", preparation.inputs);
    }
    return failed(record, preparation.error, await record.fail(preparation.error));
  }
  const { call } = preparation;
  span.setAttributes(identityAttributes(call.identity));
  if (call.staleConfig) span.setAttribute(AGATE_ATTRIBUTES.staleConfig, true);
  recordContent(telemetry, span, "config", call.config);
  recordContent(telemetry, span, "inputs", call.inputs);

  const signal = new CallSignal(request, route.timeout);
  const within = contextOf(workflow, route, call, record);
  try {
    const running = within(() => route.handler(call.inputs, new HandedCall(call, signal, record)));
    const result =
      route.timeout === undefined ? await running : await Promise.race([running, signal.aborted]);
    if (!isStream(result)) {
      return await answered(record, await checkOutput(route.output, result, "output"), signal);
    }
    const reading = { stream: result, schema: route.chunk, signal, within };
    if (wantsEvents(request)) return eventResponse(record, streamEvents(reading, record), signal);
    return await answered(record, await collectStream(reading), signal);
  } catch (thrown) {
    signal.settle();
    const error = failureOf(thrown, signal);
    return failed(record, error, await record.fail(error, thrown));
  }
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

/** Everything that code inside the call can ask for: its telemetry, identity, configuration and span. */
function contextOf(
  workflow: Workflow,
  route: RouteDefinition,
  call: PreparedCall,
  { span }: CallRecord,
): <R>(run: () => R) => R {
  const { telemetry, configSource } = workflow;
  const current = { route: route.path, params: call.params, configSource };
  const routing = routingOf(call);
  return (run) =>
    telemetrySlot.run(telemetry, () =>
      identitySlot.run(call.identity, () =>
        routingSlot.run(routing, () => callSlot.run(current, () => telemetry.withSpan(span, run))),
      ),
    );
}

function routingOf({ config, identity }: PreparedCall): RoutingContext {
  const { application, variantId, variantName, revision, environment } = identity;
  return {
    config: config as Dictionary,
    ...(application !== null && { application: { slug: application } }),
    ...(variantName !== null && { variant: { id: variantId, slug: variantName, revision } }),
    ...(environment !== null && { environment: { slug: environment } }),
  };
}

function wantsEvents(request: Request): boolean {
  return request.headers.get("accept")?.includes("text/event-stream") ?? false;
}

async function answered(record: CallRecord, data: unknown, signal: CallSignal): Promise<Response> {
  const text = outputText(data, "output");
  signal.settle();
  const trace = await record.succeed(data);
  return new Response(answerText(record.span, text, trace), {
    headers: { "content-type": "application/json", traceparent: traceparent(record.span) },
  });
}

function failed(record: CallRecord, error: CallError, trace: string | null): Response {
  const { headers, status } = error;
  return new Response(errorText(record.shown(error), record.span, trace), {
    status,
    headers: {
      "content-type": "application/json",
      ...headers,
      traceparent: traceparent(record.span),
    },
  });
}

function eventResponse(
  record: CallRecord,
  events: AsyncGenerator<string, void, void>,
  signal: CallSignal,
): Response {
  return new Response(
    eventBody(events, () => signal.abort("client-gone")),
    {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-cache",
        traceparent: traceparent(record.span),
      },
    },
  );
}
