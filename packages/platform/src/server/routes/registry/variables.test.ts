import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { faults, sendJson } from "./testing/registry-client.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
  await send("POST", "/registry/applications", { slug: "support" });
});
afterAll(() => platform.close());

const PATH = "/registry/applications/support/environments/staging/variables";
const CANARY = "canary-5b8efff798038103d269";
const send = (method: string, path: string, body?: unknown) =>
  sendJson(platform, method, path, body);

it("sets, lists and unsets variables, many as one change", async () => {
  expect((await platform.get(PATH)).json).toEqual({ version: 0, items: [], history: [] });
  const set = { TOKEN: CANARY, REGION: { value: "eu", plain: true } };
  const changed = await send("PATCH", PATH, { set });
  expect(changed.status, changed.body.toString()).toBe(200);
  expect(changed.json).toMatchObject({
    version: 1,
    items: [
      { name: "REGION", secret: false, value: "eu", version: 1, updated_by: "local" },
      { name: "TOKEN", secret: true, value: null, status: "set" },
    ],
  });
  expect((await platform.get(PATH)).json).toEqual(changed.json);
  const unset = await send("PATCH", PATH, { unset: ["REGION"] });
  expect(unset.json).toMatchObject({
    version: 2,
    items: [{ name: "TOKEN" }],
    history: [
      { name: "REGION", action: "unset", version: 2 },
      { name: "REGION", action: "set", version: 1 },
      { name: "TOKEN", action: "set", version: 1 },
    ],
  });
});

it("shows and changes them only to keys that reach the environment", async () => {
  const calls = async (...environments: string[]) => {
    const { key } = await platform.access.keys.create("default", {
      name: "ci",
      scopes: ["admin", "deploy"],
      environments,
    });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ set: { LIMITED: { value: "x", plain: true } } });
    const listed = await platform.send({ path: PATH, headers });
    const changed = await platform.send({ method: "PATCH", path: PATH, headers, body });
    return [listed.status, changed.status];
  };
  expect(await calls("staging")).toEqual([200, 200]);
  expect(await calls("production", "other/staging")).toEqual([403, 403]);
  expect((await send("PATCH", PATH, { unset: ["LIMITED"] })).status).toBe(200);
});

it("names what is wrong, and never shows a value", async () => {
  const wrong = { "A-B": "x", LD_PRELOAD: "x", TOKEN: `${CANARY}\0` };
  const response = await send("PATCH", PATH, { set: wrong });
  expect(faults(response)).toEqual([
    422,
    ["variable_invalid", "body", "set", "A-B"],
    ["variable_invalid", "body", "set", "LD_PRELOAD"],
    ["variable_invalid", "body", "set", "TOKEN"],
  ]);
  expect(response.body.toString()).not.toContain(CANARY);
  expect((await send("PATCH", PATH, { unset: ["NOPE"] })).status).toBe(404);
  expect((await send("PATCH", PATH, {})).status).toBe(422);
  const nowhere = PATH.replace("staging", "nope");
  expect(faults(await send("PATCH", nowhere, { set: { A: "x" } }))).toEqual([
    404,
    ["environment_not_found", "path", "environment"],
  ]);
});

it("encrypts with a private key file, which holds the value nowhere in the data directory", async () => {
  await send("PATCH", PATH, { set: { TOKEN: CANARY } });
  const files = readdirSync(platform.dataDirectory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const key = files.find((file) => file.endsWith("secret.key"));
  expect(statSync(key ?? "").mode & 0o777).toBe(0o600);
  for (const file of files) {
    expect(readFileSync(file).includes(CANARY), file).toBe(false);
  }
  const lines = JSON.stringify(await platform.logLines());
  expect(lines).not.toContain(CANARY);
});

it("encrypts again with the first key", async () => {
  const response = await send("POST", "/registry/rekey");
  expect(response.json).toEqual({ rekeyed: 0, unreadable: 0 });
});
