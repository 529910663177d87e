import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outline, readTrace, spanNamed } from "../clients/read-back.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { startBlackHole } from "./black-hole.ts";
import { post } from "./post.ts";
import { startProgram } from "./running-program.ts";

const TREE = "WORKFLOW invoke_workflow describe\n  TASK shorten";
const CONFIG = { AGATE_CONFIG_FILE: "agate.config.json" };

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

describe("telemetry that is switched off", () => {
  it.each([
    ["AGATE_TELEMETRY_DISABLED=1", { AGATE_TELEMETRY_DISABLED: "1" }],
    ["OTEL_SDK_DISABLED=true", { OTEL_SDK_DISABLED: "true" }],
    ["AGATE_BASE_URL unset", { AGATE_BASE_URL: "" }],
  ])("is quiet, and the playground has its trees: %s", async (_, variables) => {
    await using hole = await startBlackHole();
    const env = { AGATE_BASE_URL: hole.url, ...CONFIG, ...variables };
    await using program = await startProgram("describing.ts", { env });
    const inputs = { stone: "Agate" };
    const { body } = await post(`${program.url}/playground/run/describe`, { inputs });
    expect(body.trace && outline(body.trace)).toBe(TREE);
    expect((await post(`${program.url}/run/describe`, { inputs })).status).toBe(200);
    const health = await (await fetch(`${program.url}/health`)).json();
    expect(health).toMatchObject({
      telemetry: { exported: 0, dropped: 0, queued: 0, last_error: null },
    });
    expect(await program.end()).toMatchObject({ signal: "SIGTERM", stderr: "" });
    expect(hole.connections.taken).toBe(0);
  });
});

describe("OpenTelemetry's variables", () => {
  it("name the service and describe what runs", async () => {
    const { metadata } = await recorded({
      OTEL_SERVICE_NAME: "describer",
      OTEL_RESOURCE_ATTRIBUTES: "service.namespace=stones,deployment.environment.name=test%20lab",
    });
    expect(metadata.resource).toMatchObject({
      "service.name": "describer",
      "service.namespace": "stones",
      "deployment.environment.name": "test lab",
    });
  });

  it("keep contents out of what is recorded, and nothing else", async () => {
    const trace = await recorded({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "false" });
    const empty = { inputs: null, internals: null, outputs: null };
    expect(trace).toMatchObject({ content: empty, config: null, status: "OK" });
    expect(spanNamed(trace, "shorten").content).toEqual(empty);
    expect(JSON.stringify(trace)).not.toContain("Malachite");
  });
});

async function recorded(variables: Readonly<Record<string, string>>) {
  const env = { AGATE_BASE_URL: server.url, ...CONFIG, ...variables };
  await using program = await startProgram("describing.ts", { env });
  const inputs = { stone: "Malachite" };
  const { body } = await post(`${program.url}/run/describe`, { inputs });
  expect(body.data).toBe("Malachite ");
  await program.end();
  return readTrace(server.url, body.trace_id);
}
