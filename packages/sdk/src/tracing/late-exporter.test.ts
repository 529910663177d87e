import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createTelemetry } from "./create-telemetry.ts";
import { Secrets } from "./secrets.ts";

const run = promisify(execFile);
const MODULE = JSON.stringify(new URL("create-telemetry.ts", import.meta.url));

/** Runs a program with telemetry of its own, and returns what it prints as errors. */
async function errorsOf(program: string): Promise<string> {
  const source = `
    const { createTelemetry } = await import(${MODULE});
    const telemetry = createTelemetry({ baseUrl: "http://127.0.0.1:1", limits: { maxSpans: 3 } });
    const makeSpans = (count) => {
      for (let index = 0; index < count; index++) telemetry.startSpan("s", { kind: "TASK" }).end();
    };
    ${program}`;
  const { stderr } = await run(process.execPath, ["--input-type=module", "--eval", source]);
  return stderr;
}

it("reports the spans of a process that exits before the exporter is loaded", async () => {
  const errors = await errorsOf("makeSpans(2); process.exit();");
  expect(errors).toContain("The process exited before its spans were sent: 2 lost.");
});

it("leaves the report to the exporter once that is loaded", async () => {
  const errors = await errorsOf("makeSpans(2); await telemetry.flush(); process.exit();");
  expect(errors).toContain("2 spans were lost at shutdown");
  expect(errors).not.toContain("exited before");
});

it("counts what the queue has no room for before and after the exporter is loaded", async () => {
  const telemetry = createTelemetry({
    baseUrl: "http://platform.test",
    secrets: new Secrets(),
    fetch: async () => new Response(null, { status: 503 }),
    limits: { maxSpans: 3, retryMs: 600_000, intervalMs: 600_000 },
    onWarning: () => {},
  });
  const makeSpans = (count: number) => {
    for (let index = 0; index < count; index++) telemetry.startSpan("s", { kind: "TASK" }).end();
  };
  expect(telemetry.statistics()).toMatchObject({ exported: 0, queued: 0, dropped: 0 });
  makeSpans(3);
  expect(telemetry.statistics()).toMatchObject({ queued: 3, dropped: 0 });
  makeSpans(1);
  expect(telemetry.statistics()).toMatchObject({ queued: 3, dropped: 1 });
  await telemetry.flush();
  expect(telemetry.statistics()).toMatchObject({
    queued: 3,
    dropped: 1,
    lastError: "it answered 503",
  });
  makeSpans(2);
  expect(telemetry.statistics()).toMatchObject({ queued: 3, dropped: 3 });
  await telemetry.shutdown();
  expect(telemetry.statistics()).toMatchObject({ exported: 0, queued: 0, dropped: 6 });
});
