import type { RegistryVariant } from "@agate/protocol";
import * as ag from "@agate/sdk";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { outline, readSpan, readTrace, spansOf } from "../clients/read-back.ts";
import { post } from "../opentelemetry/post.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { DescribeConfig, declareDescribe } from "./describe-workflow.ts";
import { type RegistryClient, registerWorkflow } from "./registry-client.ts";

let platform: RunningServer;
let workflow: ag.Serving;
let registry: RegistryClient;

beforeAll(async () => {
  platform = await startServer();
  vi.stubEnv("AGATE_BASE_URL", platform.url);
  ag.init({ application: "stones" });
  declareDescribe();
  workflow = await ag.serve({ port: 0, signals: false });
  registry = await registerWorkflow(platform.url, "stones", workflow.url);
  await registry.commit({ "/describe": { limit: 5 } }, 0);
  await registry.commit({ "/describe": { limit: 7, tone: "loud" } }, 1);
  await registry.deploy("production", 1);
});
afterAll(async () => {
  // Files of this folder share a process: an evaluation there would wait for a platform that is gone.
  vi.unstubAllEnvs();
  await workflow.close();
  await platform[Symbol.asyncDispose]();
});

const inputs = { stone: "Chalcedony" };

function describe(body: object = {}) {
  return post(`${workflow.url}/run/describe`, { inputs, ...body });
}

/** Waits for a call that is answered so. */
async function untilAnswered(data: string) {
  return vi.waitFor(
    async () => {
      const answer = await describe();
      expect(answer).toMatchObject({ status: 200, body: { data } });
      return answer.body;
    },
    { timeout: 20_000, interval: 20 },
  );
}

it("serves what is deployed, to every way of asking", async () => {
  expect((await describe()).body.data).toBe("Chalc");
  expect((await describe({ environment: "production" })).body.data).toBe("Chalc");
  expect((await describe({ variant: { slug: "default" } })).body.data).toBe("CHALCED");
  expect((await describe({ variant: { slug: "default", revision: 1 } })).body.data).toBe("Chalc");

  const schema = DescribeConfig;
  const { ConfigManager } = ag;
  expect(await ConfigManager.getFromRoute({ schema })).toMatchObject({ limit: 5, tone: "plain" });
  expect(await ConfigManager.getFromRegistry({ schema, variant: "default" })).toMatchObject({
    limit: 7,
    tone: "loud",
  });
  expect(
    await ConfigManager.getFromRegistry({ route: "/describe", variant: "default", revision: 1 }),
  ).toEqual({ limit: 5 });
  const there = { application: { slug: "stones" }, environment: { slug: "production" } };
  await ag.routingContextManager(there, async () => {
    expect(await ConfigManager.getFromRoute({ schema })).toMatchObject({ limit: 5 });
  });
});

it("says what is missing, and what to do", async () => {
  const nothing = await describe({ environment: "staging" });
  expect(nothing.status).toBe(404);
  expect(nothing.body.detail).toMatchObject([{ type: "config_not_found" }]);
  expect(nothing.body.detail?.[0]?.msg).toContain(
    "agate deployments create stones staging default",
  );
  const revision = await describe({ variant: { slug: "default", revision: 9 } });
  expect(revision).toMatchObject({ status: 404 });
  await expect(ag.ConfigManager.getFromRegistry({ variant: "none" })).rejects.toThrow(
    ag.ConfigNotFoundError,
  );
});

it("refuses a commit that the workflow's own schema forbids, by route, field, bound and value", async () => {
  const params = { "/describe": { limit: 101, tone: "shrill" } };
  const refused = await registry.refused("POST", "/variants/default/revisions", {
    params,
    base_revision: 2,
  });
  expect(refused.status).toBe(422);
  expect(refused.detail).toEqual([
    {
      type: "params_invalid",
      loc: ["body", "params", "/describe", "limit"],
      msg: expect.stringMatching(/100.*101/),
    },
    {
      type: "params_invalid",
      loc: ["body", "params", "/describe", "tone"],
      msg: expect.stringMatching(/plain.*loud.*shrill/),
    },
  ]);
});

it("lets a running workflow see a deployment and a roll-back, and stamps every span", async () => {
  const variant = await registry.send<RegistryVariant>("GET", "/variants/default");
  const stamp = (revision: number) => ({
    variant: { variant_id: variant.id, variant_name: "default", revision },
    environment: "production",
    metadata: { application: "stones" },
  });
  await untilAnswered("Chalc");

  await registry.deploy("production", 2);
  const later = await untilAnswered("CHALCED");
  await registry.send("POST", "/environments/production/rollback", {});
  const again = await untilAnswered("Chalc");

  await ag.flush();
  for (const [{ trace_id, span_id }, revision] of [
    [later, 2],
    [again, 1],
  ] as const) {
    const trace = await readTrace(platform.url, trace_id);
    expect(outline(trace)).toBe("WORKFLOW invoke_workflow describe\n  TASK shorten\n    LLM chat");
    for (const span of spansOf(trace)) {
      expect(span).toMatchObject(stamp(revision));
      expect(await readSpan(platform.url, span.id)).toMatchObject(stamp(revision));
    }
    expect(trace.config).toMatchObject({ limit: revision === 2 ? 7 : 5 });
    expect(await readSpan(platform.url, span_id)).toEqual(trace);
  }
});

it("lets a running workflow see that something was taken down, and is there again", async () => {
  await untilAnswered("Chalc");
  await registry.send("DELETE", "/environments/production/deployment");
  await vi.waitFor(async () => expect((await describe()).status).toBe(404), {
    timeout: 20_000,
    interval: 20,
  });
  await registry.send("POST", "/environments/production/rollback");
  await untilAnswered("Chalc");
});
