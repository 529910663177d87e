import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BaseModel } from "../config/base-model.ts";
import { tracing } from "../tracing/tracing.ts";
import { answerOf, post } from "./call-app.fixture.ts";
import { createApp } from "./create-app.ts";

class NoConfig extends BaseModel {}

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

/** An app that answers with the headers that it would send on. */
function passingOn() {
  const app = createApp();
  app.route("/pass", NoConfig)(() => tracing.headers());
  return app;
}

async function call(headers: Record<string, string>) {
  const answer = await answerOf(post(passingOn(), "/playground/run/pass", {}, { headers }));
  return { ...answer.body, traceparent: answer.headers.get("traceparent") as string };
}

describe("a call with a traceparent", () => {
  it("goes on in its trace, below its span", async () => {
    const answer = await call({ traceparent: `00-${TRACE}-${SPAN}-01` });
    expect(answer.trace_id).toBe(TRACE);
    expect(answer.trace).toMatchObject({ trace_id: TRACE, parent_span_id: SPAN });
    expect(answer.traceparent).toBe(`00-${TRACE}-${answer.span_id}-01`);
    expect(answer.data.traceparent).toBe(answer.traceparent);
  });

  it("keeps its flag: what others do not sample is recorded all the same", async () => {
    const answer = await call({ traceparent: `00-${TRACE}-${SPAN}-00` });
    expect(answer.trace).toMatchObject({ trace_id: TRACE, parent_span_id: SPAN, status: "OK" });
    expect(answer.traceparent).toBe(`00-${TRACE}-${answer.span_id}-00`);
    expect(answer.data.traceparent).toBe(answer.traceparent);
  });

  it("passes the tracestate on as it came", async () => {
    const tracestate = "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE";
    const answer = await call({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate });
    expect(answer.data.tracestate).toBe(tracestate);
    expect(answer.trace.metadata.otel.trace_state).toBe(tracestate);
  });

  it("of a later version is read as far as it is known", async () => {
    const answer = await call({ traceparent: `cc-${TRACE}-${SPAN}-01-what-the-future-holds` });
    expect([answer.trace_id, answer.trace.parent_span_id]).toEqual([TRACE, SPAN]);
  });

  it.each([
    ["version ff", `ff-${TRACE}-${SPAN}-01`],
    ["a trace id of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
    ["a span id of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["a short trace id", `00-${TRACE.slice(1)}-${SPAN}-01`],
    ["more than version 00 has", `00-${TRACE}-${SPAN}-01-more`],
    ["no flags", `00-${TRACE}-${SPAN}`],
    ["letters beyond f", `00-${TRACE.replace("0", "g")}-${SPAN}-01`],
    ["nothing", ""],
  ])("that has %s is as none", async (_what, traceparent) => {
    const answer = await call({ traceparent, tracestate: "rojo=1" });
    expect(answer.trace_id).not.toBe(TRACE);
    expect(answer.trace.parent_span_id).toBeNull();
    expect(answer.data).not.toHaveProperty("tracestate");
  });

  it("that is any text never breaks it", async () => {
    const text = fc.string({ maxLength: 80 }).filter((value) => {
      try {
        new Headers({ traceparent: value });
        return true;
      } catch {
        return false;
      }
    });
    await fc.assert(
      fc.asyncProperty(text, text, async (traceparent, tracestate) => {
        const answer = await call({ traceparent, tracestate });
        expect(answer.traceparent).toBe(`00-${answer.trace_id}-${answer.span_id}-01`);
      }),
      { numRuns: 50 },
    );
  });
});

describe("an answer", () => {
  it.each([
    ["a refused body", "/playground/run/pass", "{", 422],
    ["a wrong type", "/playground/run/pass", "{}", 415],
  ])("has a traceparent with %s, too", async (_what, path, body, status) => {
    const type = status === 415 ? "text/plain" : "application/json";
    const answer = await answerOf(
      post(passingOn(), path, body, {
        headers: { "content-type": type, traceparent: `00-${TRACE}-${SPAN}-01` },
      }),
    );
    expect(answer.status).toBe(status);
    expect(answer.headers.get("traceparent")).toBe(`00-${TRACE}-${answer.body.span_id}-01`);
  });
});
