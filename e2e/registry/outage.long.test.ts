import * as ag from "@agate/sdk";
import { afterEach, expect, it, vi } from "vitest";
import { readTrace, spansOf } from "../clients/read-back.ts";
import { emptyDataFolder } from "../data-folder.ts";
import { post } from "../opentelemetry/post.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { declareDescribe } from "./describe-workflow.ts";
import { registerWorkflow } from "./registry-client.ts";

afterEach(() => vi.restoreAllMocks());

/** Said when a configuration was asked for in vain; a lost stream is another matter. */
const AWAY = /^(?!.*Changes to).*The registry at \S+ could not be reached/;
const WAITING = { timeout: 20_000, interval: 20 };

it("serves with the last known configuration while the registry is away, warns, and catches up", async () => {
  await using folder = await emptyDataFolder();
  const start = (flags: readonly string[] = []) =>
    startServer({ dataDirectory: folder.path, flags });
  const first = await start();
  vi.stubEnv("AGATE_BASE_URL", first.url);
  const warnings = vi.spyOn(console, "warn").mockReturnValue();
  ag.init({ application: "stones", onError: () => {} });
  declareDescribe();
  const workflow = await ag.serve({ port: 0, signals: false });
  await using _end = { [Symbol.asyncDispose]: () => workflow.close() };
  const describe = (environment: string) =>
    post(`${workflow.url}/run/describe`, { environment, inputs: { stone: "Chalcedony" } });

  const registry = await registerWorkflow(first.url, "stones", workflow.url);
  await registry.commit({ "/describe": { limit: 5 } }, 0);
  await registry.commit({ "/describe": { limit: 7 } }, 1);
  await registry.deploy("production", 1);
  await registry.deploy("staging", 1);
  expect((await describe("production")).body.data).toBe("Chalc");

  // It ends at once although the workflow listens to its changes, and breaks nothing off.
  expect(await first.stop()).toBe(0);
  expect(first.log()).not.toContain("broken off");
  await vi.waitFor(async () => {
    expect((await describe("production")).body.data).toBe("Chalc");
    expect(warnings).toHaveBeenCalledWith(expect.stringMatching(AWAY));
  }, WAITING);
  const away = await describe("production");
  expect(away).toMatchObject({ status: 200, body: { data: "Chalc" } });
  const unknown = await describe("staging");
  expect(unknown.status).toBe(503);
  expect(unknown.body.detail).toMatchObject([{ type: "config_unavailable" }]);

  await using second: RunningServer = await start(["--port", new URL(first.url).port]);
  await vi.waitFor(
    async () => expect((await describe("staging")).body.data).toBe("Chalc"),
    WAITING,
  );
  await registry.deploy("production", 2);
  const back = await vi.waitFor(async () => {
    const answer = await describe("production");
    expect(answer.body.data).toBe("Chalced");
    return answer;
  }, WAITING);

  await ag.flush();
  const stale = await readTrace(second.url, away.body.trace_id);
  expect(stale.metadata.attributes).toMatchObject({ "ag.config.stale": true });
  for (const span of spansOf(stale)) {
    expect(span).toMatchObject({ environment: "production", variant: { revision: 1 } });
  }
  const current = await readTrace(second.url, back.body.trace_id);
  expect(current).toMatchObject({ variant: { revision: 2 } });
  expect(current.metadata.attributes).not.toHaveProperty("ag.config.stale");
});
