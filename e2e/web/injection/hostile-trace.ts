import type { OtlpSource, OtlpSpan } from "../../send-otlp.ts";

export const HOSTILE_TRACE_ID = "bad0".repeat(8);
const START = Date.now() - 60_000;

/** Markup that reports the field it came through, in each of the ways that pages are tricked. */
export function hostile(field: string): string {
  const report = `window.hit('${field}')`;
  return `${field}<img src=x onerror="${report}"><script>${report}</script>"><svg onload="${report}"><a href="javascript:${report}">`;
}

const json = (value: unknown): string => JSON.stringify(value);
const messages = (role: string) => [
  { role: hostile(`${role} role`), content: hostile(`${role} content of an odd role`) },
  { role, content: hostile(`${role} content`) },
  { role, parts: [{ type: "text", content: hostile(`${role} part`) }] },
  {
    role: "assistant",
    content: null,
    tool_calls: [
      {
        id: hostile("tool call id"),
        type: "function",
        function: { name: hostile("tool name"), arguments: hostile("tool arguments") },
      },
    ],
  },
  { role: "user", content: [{ type: "image_url", image_url: { url: hostile("image url") } }] },
  {
    role: "user",
    content: [{ type: "image_url", image_url: { url: "javascript:window.hit(1)" } }],
  },
  { role: "tool", tool_call_id: hostile("tool result id"), content: hostile("tool result") },
];

/** A trace that has markup in every field that a client can fill. */
export const HOSTILE_SPANS: readonly OtlpSpan[] = [
  {
    traceId: HOSTILE_TRACE_ID,
    spanId: "bad0000000000001",
    name: hostile("name"),
    start: START,
    end: START + 900,
    traceState: "a=b",
    status: { code: 2, message: hostile("status message") },
    attributes: {
      "ag.span.kind": "WORKFLOW",
      "ag.application": hostile("application"),
      "ag.route": hostile("route"),
      "ag.call.origin": hostile("origin"),
      "ag.variant.id": hostile("variant id"),
      "ag.variant.name": hostile("variant name"),
      "ag.variant.revision": 3,
      "ag.environment": hostile("environment"),
      "ag.config": json({ [hostile("config key")]: hostile("config value") }),
      "ag.content.inputs": json({ [hostile("inputs key")]: hostile("inputs value") }),
      "ag.content.internals": json([
        hostile("internals item"),
        { deep: [hostile("internals deep")] },
      ]),
      "ag.content.outputs": json(hostile("outputs")),
      "user.id": hostile("user"),
      "session.id": hostile("session"),
      [hostile("attribute key")]: hostile("attribute value"),
      __proto__x: "plain",
    },
    events: [
      {
        name: hostile("event name"),
        time: START + 100,
        attributes: { [hostile("event key")]: hostile("event value") },
      },
      {
        name: "exception",
        time: START + 200,
        attributes: {
          "exception.type": hostile("exception type"),
          "exception.message": hostile("exception message"),
          "exception.stacktrace": hostile("exception stack"),
        },
      },
    ],
    links: [
      {
        traceId: "bad1".repeat(8),
        spanId: "bad0000000000009",
        attributes: { [hostile("link key")]: hostile("link value") },
      },
    ],
  },
  {
    traceId: HOSTILE_TRACE_ID,
    spanId: "bad0000000000002",
    parentSpanId: "bad0000000000001",
    name: hostile("chat name"),
    start: START + 100,
    end: START + 500,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": hostile("provider"),
      "gen_ai.request.model": hostile("model"),
      "gen_ai.input.messages": json(messages("user")),
      "gen_ai.output.messages": json(messages("assistant")),
      "gen_ai.system_instructions": json([{ type: "text", content: hostile("system") }]),
      "gen_ai.tool.definitions": json([{ name: hostile("tool definition") }]),
      "gen_ai.usage.input_tokens": 10,
    },
  },
  {
    traceId: HOSTILE_TRACE_ID,
    spanId: "bad0000000000003",
    parentSpanId: "bad0000000000001",
    name: hostile("retriever name"),
    start: START + 500,
    end: START + 800,
    attributes: {
      "openinference.span.kind": "RETRIEVER",
      "input.value": hostile("plain input"),
      "retrieval.documents.0.document.content": hostile("document"),
      "retrieval.documents.0.document.metadata": json({ url: "javascript:window.hit(2)" }),
    },
  },
  {
    traceId: HOSTILE_TRACE_ID,
    spanId: "bad0000000000004",
    parentSpanId: "bad00000000000ff",
    name: hostile("orphan name"),
    start: START + 600,
    end: START + 700,
    attributes: { "input.value": hostile("orphan input"), "input.mime_type": hostile("mime type") },
  },
];

export const HOSTILE_SOURCE: OtlpSource = {
  resource: {
    "service.name": hostile("service"),
    [hostile("resource key")]: hostile("resource value"),
  },
  scope: {
    name: hostile("scope name"),
    version: hostile("scope version"),
    attributes: { [hostile("scope key")]: hostile("scope value") },
  },
};
