import { afterAll, beforeAll, expect, it } from "vitest";
import { outline, readTrace, spansOf } from "../clients/read-back.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { post } from "./post.ts";
import { startProgram } from "./running-program.ts";

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

it.each(["by-client", "by-fetch"])("an app that calls another is one trace: %s", async (route) => {
  const env = { AGATE_BASE_URL: server.url, AGATE_CONFIG_FILE: "agate.config.json" };
  await using called = await startProgram("describing.ts", {
    env: { ...env, AGATE_APPLICATION: "describer" },
  });
  await using calling = await startProgram("calling.ts", {
    env: { ...env, AGATE_APPLICATION: "caller", OTHER_URL: called.url },
  });
  const { body } = await post(`${calling.url}/run/${route}`, { inputs: { stone: "Agate" } });
  expect(body.data).toBe("Agate is b");
  await Promise.all([called.end(), calling.end()]);
  const trace = await readTrace(server.url, body.trace_id);
  expect(outline(trace)).toBe(
    [
      `WORKFLOW invoke_workflow ${route}`,
      "  WORKFLOW invoke_workflow describe",
      "    TASK shorten",
    ].join("\n"),
  );
  expect(spansOf(trace).map(({ metadata }) => metadata.application)).toEqual([
    "caller",
    "describer",
    "describer",
  ]);
});

it("a caller's own traceparent is continued, sampled or not", async () => {
  const env = { AGATE_BASE_URL: server.url, AGATE_CONFIG_FILE: "agate.config.json" };
  await using program = await startProgram("describing.ts", { env });
  const answers = [];
  for (const [n, flags] of ["01", "00"].entries()) {
    const traceId = `${n}`.padStart(32, "a");
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}` };
    const inputs = { stone: "Agate" };
    answers.push({
      traceId,
      flags,
      ...(await post(`${program.url}/run/describe`, { inputs }, headers)),
    });
  }
  await program.end();
  for (const { traceId, flags, body, headers } of answers) {
    expect(body.trace_id).toBe(traceId);
    expect(headers.get("traceparent")).toBe(`00-${traceId}-${body.span_id}-${flags}`);
    const trace = await readTrace(server.url, traceId);
    expect(trace).toMatchObject({ id: body.span_id, parent_span_id: "00f067aa0ba902b7" });
  }
});
