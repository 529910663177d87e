import { afterAll, beforeAll, expect, it } from "vitest";
import { sharedPostgres } from "../../../stores/testing/shared-databases.fixture.ts";
import { newSecretKey, secretKeyText } from "../../../variables/secret-keys.ts";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { sendJson } from "../registry/testing/registry-client.fixture.ts";
import { at, callService, deploy, logsOf, workflow } from "./testing/deploying.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const WAITS = { timeout: 30_000 };

/** Answers with its token and its process id, and does not start with a token that is wrong. */
const TELLING = workflow("", {
  before: `
    const { TOKEN = "none" } = process.env;
    if (TOKEN.startsWith("wrong")) { console.error("The token", TOKEN, "is wrong."); process.exit(3); }`,
  handle: `response.end(TOKEN + " " + process.pid);`,
});

async function deployTelling(on: TestPlatform, application: string, ...environments: string[]) {
  for (const environment of environments) {
    const deployed = await deploy(on, application, TELLING, { environment });
    expect(deployed.status, deployed.body.toString()).toBe(201);
  }
}

function change(on: TestPlatform, application: string, environment: string, body: object) {
  return sendJson(on, "PATCH", at(application, `/environments/${environment}/variables`), body);
}

async function tokenOf(on: TestPlatform, application: string, environment: string) {
  const { status, text } = await callService(on, application, environment);
  expect(status, text).toBe(200);
  return text.split(" ")[0];
}

it("restarts the environment's build with the new values, and no other", async () => {
  await deployTelling(platform, "restarted", "staging", "production");
  const production = await callService(platform, "restarted", "production");
  for (const value of ["first-token", "second-token"]) {
    const changed = await change(platform, "restarted", "staging", { set: { TOKEN: value } });
    expect(changed.status, changed.body.toString()).toBe(200);
    // The answer comes when it serves.
    expect(await tokenOf(platform, "restarted", "staging")).toBe(value);
  }
  await change(platform, "restarted", "staging", { unset: ["TOKEN"] });
  expect(await tokenOf(platform, "restarted", "staging")).toBe("none");
  expect(await callService(platform, "restarted", "production")).toEqual(production);
});

it("changes nothing where the build does not start with the new values, and tells why", async () => {
  await deployTelling(platform, "broken", "staging");
  await change(platform, "broken", "staging", { set: { TOKEN: "good-token" } });
  const path = at("broken", "/environments/staging/variables");
  const before = (await platform.get(path)).json;
  const serving = await callService(platform, "broken", "staging");

  const refused = await change(platform, "broken", "staging", {
    set: { TOKEN: "wrong-token-5b8efff7", OTHER: "x" },
  });
  expect(refused.status).toBe(422);
  const [{ type, msg }] = refused.json.detail;
  expect(type).toBe("build_unusable");
  expect(msg).toContain("nothing was changed");
  expect(msg).toContain("The token [secret:TOKEN] is wrong.");
  expect(JSON.stringify([refused.json, await logsOf(platform, "broken")])).not.toContain(
    "wrong-token",
  );
  expect((await platform.get(path)).json).toEqual(before);
  expect(await callService(platform, "broken", "staging")).toEqual(serving);

  await change(platform, "broken", "staging", { set: { TOKEN: "mended-token" } });
  expect(await tokenOf(platform, "broken", "staging")).toBe("mended-token");
});

it("loses no call while values change, and each answer is one of the values", async () => {
  await deployTelling(platform, "rotated", "production");
  let isOver = false;
  const answers = new Set<string>();
  const calling = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!isOver) answers.add((await tokenOf(platform, "rotated", "production")) ?? "");
    }),
  );
  const values = Array.from({ length: 3 }, (_, n) => `token-number-${n}`);
  for (const value of values) {
    const changed = await change(platform, "rotated", "production", { set: { TOKEN: value } });
    expect(changed.status, changed.body.toString()).toBe(200);
    expect(await tokenOf(platform, "rotated", "production")).toBe(value);
  }
  isOver = true;
  await calling;
  for (const answer of answers) expect(["none", ...values]).toContain(answer);
});

it("reaches every server of a registry in PostgreSQL", async () => {
  const registry = await (await sharedPostgres()).createDatabase();
  const secretKey = secretKeyText(newSecretKey());
  const one = await startTestPlatform({ registry, secretKey });
  const two = await startTestPlatform({ registry, secretKey });
  try {
    await deployTelling(one, "shared", "production");
    await expect
      .poll(() => callService(two, "shared", "production"), WAITS)
      .toMatchObject({
        status: 200,
        text: expect.stringMatching(/^none /),
      });
    const changed = await change(one, "shared", "production", { set: { TOKEN: "shared-token" } });
    expect(changed.status, changed.body.toString()).toBe(200);
    expect(await tokenOf(one, "shared", "production")).toBe("shared-token");
    await expect.poll(() => tokenOf(two, "shared", "production"), WAITS).toBe("shared-token");
  } finally {
    await one.close();
    await two.close();
  }
});

it("lists with a promotion the variables that the target lacks, also where its build does not start", async () => {
  const needsToken = `if (!process.env.TOKEN) { console.error("No token."); process.exit(3); }`;
  const build = workflow("", { before: needsToken });
  const set = { TOKEN: "staging-token", REGION: { value: "eu", plain: true } };
  await deployTelling(platform, "lacking", "staging", "production");
  await change(platform, "lacking", "staging", { set });
  await change(platform, "lacking", "production", { set: { ONLY_HERE: "x" } });
  await deploy(platform, "lacking", build, { environment: "staging" });
  const path = at("lacking", "/environments/production/promote");
  const promote = () => sendJson(platform, "POST", path, { from: "staging" });

  const refused = await promote();
  expect(refused.status).toBe(422);
  const [{ type, msg }] = refused.json.detail;
  expect(type).toBe("build_unusable");
  expect(msg).toContain("production lacks variables that staging has: REGION, TOKEN.");

  await change(platform, "lacking", "production", { set: { TOKEN: "production-token" } });
  const promoted = await promote();
  expect(promoted.status, promoted.body.toString()).toBe(201);
  expect(promoted.json).toMatchObject({
    environment: "production",
    promoted_from: "staging",
    missing_variables: ["REGION"],
  });
  const streamed = await fetch(`${platform.server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ from: "staging" }),
  });
  expect(await streamed.text()).toContain('"missing_variables":["REGION"]');

  await change(platform, "lacking", "production", { set: { REGION: "us" } });
  expect((await promote()).json.missing_variables).toEqual([]);
});
