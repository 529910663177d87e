import type { SpanRecord } from "@agate/protocol";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runInProcess } from "../run-in-process.ts";
import { type DevProject, makeProject } from "./dev-project.ts";
import { type RunningAgate, startAgate } from "./running-agate.ts";

const PROGRAM = `import * as ag from "@agate/sdk";

class Config extends ag.BaseModel {}

const words = ag.instrument({ name: "words" })(async function* () {
  yield "one ";
  yield "two ";
  console.log("waiting");
  await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
});

export const tell = ag.route("/tell", Config)(async function* () {
  yield* words();
});

export const ask = ag.route("/ask", Config)(async (_input: object, { signal }) => {
  console.log("waiting");
  await new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
});

export const breaks = ag.route("/breaks", Config)(async () => {
  throw new Error("The index is broken.");
});

export default ag.app(tell, ask, breaks);
`;

/** Everything of a call that its client leaves is the same in the terminal, the record and the figures. */
describe("a call whose client goes away", () => {
  let project: DevProject;
  let dev: RunningAgate;
  beforeAll(async () => {
    project = await makeProject();
    await project.write("app.ts", PROGRAM);
    dev = await startAgate(["dev", "--port", "0"], { cwd: project.folder });
    await dev.printed(/Ready in/);
  });
  afterAll(async () => {
    await dev?.[Symbol.asyncDispose]();
    await project[Symbol.asyncDispose]();
  });

  /** Calls a route and goes away once its function waits. */
  async function leave(path: string, headers: Record<string, string> = {}): Promise<void> {
    const controller = new AbortController();
    const answer = fetch(dev.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: "{}",
      signal: controller.signal,
    }).then((got) => got.text());
    answer.catch(() => {});
    await dev.printed(/waiting/);
    controller.abort();
    await expect(answer).rejects.toThrow();
  }

  /** The newest trace of a route, once it has arrived. */
  async function traceOf(route: string): Promise<SpanRecord> {
    return vi.waitFor(
      async () => {
        const listed = await fetch(`${dev.url}/observability/traces/?application=support`);
        const { items } = (await listed.json()) as { items: SpanRecord[] };
        const found = items.find(({ metadata }) => metadata.attributes["ag.route"] === route);
        expect(found).toBeDefined();
        const whole = await fetch(`${dev.url}/observability/traces/${found!.trace_id}/`);
        return (await whole.json()) as SpanRecord;
      },
      { timeout: 60_000, interval: 50 },
    );
  }

  it.each([
    ["events", "/run/tell", { accept: "text/event-stream" }],
    ["JSON", "/playground/run/tell", {}],
    ["one answer", "/run/ask", {}],
  ])("is told as cancelled, and recorded so: %s", async (_what, path, headers) => {
    await leave(path, headers as Record<string, string>);
    expect(await dev.printed(/POST (\S+) +cancelled +\S+ m?s/)).toBe(path);
    const route = path.slice(path.lastIndexOf("/"));
    const trace = await traceOf(route);
    expect(trace).toMatchObject({ status: "UNSET", metadata: { cancelled: true } });
    expect(trace.content.outputs).toBe(route === "/tell" ? "one two " : null);
    expect(trace.metadata.events).toEqual([]);
  });

  it("is no error in figures, filters and the terminal, unlike a failure", async () => {
    const failed = await fetch(`${dev.url}/run/breaks`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect(failed.status).toBe(500);
    await traceOf("/breaks");
    const analytics = await fetch(`${dev.url}/observability/analytics/?application=support`);
    const { total } = (await analytics.json()) as {
      total: { count: number; errors: number };
    };
    expect(total).toMatchObject({ count: 4, errors: 1 });
    const errors = await fetch(`${dev.url}/observability/traces/?status=ERROR`);
    const { items } = (await errors.json()) as { items: SpanRecord[] };
    expect(items.map(({ metadata }) => metadata.attributes["ag.route"])).toEqual(["/breaks"]);
    const env = { AGATE_BASE_URL: dev.url };
    const { stdout } = await runInProcess(["traces"], { env });
    const statuses = [...stdout.matchAll(/ (OK|ERROR|UNSET|CANCELLED) /g)].map(([, each]) => each);
    expect(statuses).toEqual(["ERROR", "CANCELLED", "CANCELLED", "CANCELLED"]);
  });
});
