import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Application } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { BOTH, call } from "./call.ts";
import { makeProject } from "./dev-project.ts";
import { startAgate } from "./running-agate.ts";

const DEV = ["dev", "--port", "0", "--otlp-grpc", "off"];
/** The compiler takes longer than everything else at a reload. */
const UNCHECKED = [...DEV, "--no-typecheck"];

describe("the first version of agate dev", () => {
  it("may be broken: the platform is up, and waits for a fix, which may name the application", async () => {
    await using project = await makeProject();
    const good = await project.read("app.ts");
    const named = good.replace("/** What can", 'ag.init({ application: "desk" });\n\n/** What can');
    await project.write("app.ts", named.replace("le: 10 }", "le: 10"));
    await using dev = await startAgate(UNCHECKED, { cwd: project.folder });
    await dev.printed(/app\.ts:\d+:\d+: /);
    await dev.printed(/Nothing is served yet\. Fix the error and save to reload\.\n/);
    expect((await fetch(`${dev.url}/observability/traces/`)).status).toBe(200);
    expect((await call(`${dev.url}/run`)).status).toBe(503);
    await project.write("app.ts", named);
    await dev.printed(/Ready in/);
    expect(await call(`${dev.url}/run`)).toMatchObject({ status: 200, data: BOTH });
    expect(await call(`${dev.url}/services/desk/run`)).toMatchObject({ status: 200 });
    const listed = await fetch(`${dev.url}/registry/applications`);
    const { items } = (await listed.json()) as { items: Application[] };
    expect(items.map(({ slug }) => slug)).toEqual(["desk"]);
  });

  it("checks types with the project's own compiler, and not with --no-typecheck, as JSON a line an event", async () => {
    await using project = await makeProject();
    const compiler = join(project.folder, "node_modules/typescript");
    await mkdir(compiler, { recursive: true });
    await writeFile(join(compiler, "package.json"), '{"bin": {"tsc": "tsc.cjs"}}');
    await writeFile(join(compiler, "tsc.cjs"), "console.log('app.ts(1,1): error TS9999: Own.')");
    await using checking = await startAgate([...DEV, "--json"], { cwd: project.folder });
    const problem = JSON.parse(await checking.printed(/({"event":"type-errors".*})\n/)) as object;
    expect(problem).toMatchObject({ count: 1, problems: [{ message: "TS9999: Own." }] });
    await checking.end();
    await using silent = await startAgate([...UNCHECKED, "--json"], { cwd: project.folder });
    await silent.printed(/"ready".*\n/);
    const { traceId } = await call(`${silent.url}/run`);
    await silent.printed(/"call".*\n/);
    const events = silent
      .text()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events).toEqual([
      {
        event: "started",
        url: silent.url,
        application: "support",
        otlp_grpc: null,
      },
      { event: "ready", routes: ["/"], ms: expect.any(Number) },
      {
        event: "call",
        method: "POST",
        path: "/run",
        status: 200,
        ms: expect.any(Number),
        trace_id: traceId,
      },
    ]);
    for (const sentences of [3, 4]) {
      await project.edit("app.ts", `default: ${sentences - 1}, ge`, `default: ${sentences}, ge`);
      await silent.printed(/"reloaded".*\n/);
    }
    expect(silent.text()).not.toContain("TS9999");
  });

  it("takes its processes along when it is killed, and starts again as if it had not been", async () => {
    await using project = await makeProject();
    const noisy = `console.log("pid", process.pid);
    if (text === "hang") await new Promise(() => {});
    if (typeof`;
    await project.edit("app.ts", "if (typeof", noisy);
    const killed = await startAgate(UNCHECKED, { cwd: project.folder });
    await killed.printed(/Ready in/);
    await call(`${killed.url}/run`);
    const pid = Number(await killed.printed(/pid (\d+)/));
    await killed.end("SIGKILL");
    // It tries to send its last spans first, to a platform that is not there any more.
    await expect.poll(() => isRunning(pid)).toBe(false);
    await using dev = await startAgate(UNCHECKED, { cwd: project.folder });
    await dev.printed(/Ready in/);
    expect(await call(`${dev.url}/run`)).toMatchObject({ status: 200 });
    await dev.printed(/pid/);

    // And told twice to end, it does not wait for a call that hangs.
    const hanging = call(`${dev.url}/run`, { inputs: { text: "hang" } });
    hanging.catch(() => {});
    await dev.printed(/pid/);
    process.kill(dev.pid, "SIGINT");
    await dev.printed(/Stopping\./);
    expect(await dev.end("SIGINT")).toEqual({ code: null, signal: "SIGINT" });
    await expect(hanging).rejects.toThrow();
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
