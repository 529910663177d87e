import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyDataFolder } from "../data-folder.ts";
import { runProgram } from "../opentelemetry/running-program.ts";
import { expectRefusal, runAgate } from "../run-agate.ts";
import { runInProcess } from "../run-in-process.ts";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";

/** Makes a key as the sentence of a refused start says, and gives it back. */
async function makeKey(dataDirectory: string, name: string, ...flags: string[]): Promise<string> {
  const args = ["keys", "create", name, ...flags, "--data-dir", dataDirectory];
  const { code, stdout, stderr } = await runInProcess(args);
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^ag_\w{8}_\w{32}\n$/);
  return stdout.trim();
}

/** Where this machine reaches a server that listens on all its addresses. */
function urlOf(server: RunningServer): string {
  return server.url.replace("0.0.0.0", "127.0.0.1");
}

function get(server: RunningServer, path: string, key?: string): Promise<Response> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return fetch(`${urlOf(server)}${path}`, { headers });
}

async function list(server: RunningServer, path: string, key?: string): Promise<unknown[]> {
  const response = await get(server, path, key);
  expect(response.status).toBe(200);
  return ((await response.json()) as { items: unknown[] }).items;
}

/** The secret is in none of the files, whether it was used or not. */
async function expectHidden(key: string, dataDirectory: string): Promise<void> {
  for (const name of await readdir(dataDirectory)) {
    const content = await readFile(join(dataDirectory, name));
    expect(content.includes(key.slice(-32)), name).toBe(false);
  }
}

describe("a server that others can reach", () => {
  it("starts once it has the key that its refusal asks for, and refuses requests without one", async () => {
    await using folder = await emptyDataFolder();
    const place = ["--host", "0.0.0.0"];
    const args = ["server", "--port", "0", "--data-dir", folder.path, ...place];
    const refused = await runAgate(args);
    const command = `agate keys create admin --scope admin,deploy --data-dir ${folder.path}`;
    expectRefusal(refused, 1, "Agate will not listen on 0.0.0.0 without API keys");
    expect(refused.stderr).toContain(`\`${command}\``);
    expect(await readdir(folder.path)).toEqual([]);

    await makeKey(folder.path, "reader", "--scope", "read");
    expectRefusal(await runAgate(args), 1, "none has the scope admin yet");

    const key = await makeKey(folder.path, "admin", "--scope", "admin");
    await using server = await startServer({ dataDirectory: folder.path, flags: place });
    expect((await get(server, "/observability/traces/")).status).toBe(401);
    expect((await get(server, "/observability/traces/", `${key}x`)).status).toBe(401);
    expect((await get(server, "/observability/traces/", key)).status).toBe(200);
    expect((await get(server, "/health")).status).toBe(200);
    expect(await server.stop()).toBe(0);
    expect(server.log()).not.toContain(key.slice(-32));
  });
});

describe("--require-key", () => {
  it("asks for a key on a loopback address, takes the SDK's, and leaves the secret in no file", async () => {
    await using folder = await emptyDataFolder();
    const key = await makeKey(folder.path, "shop", "--scope", "admin", "--project", "shop");
    await expectHidden(key, folder.path);
    const place = { dataDirectory: folder.path, flags: ["--require-key"] };
    await using server = await startServer(place);
    expect((await get(server, "/observability/traces/")).status).toBe(401);

    const env = { AGATE_BASE_URL: server.url, AGATE_API_KEY: key };
    const exported = await runProgram("script.ts", { args: ["--flush"], env });
    expect([exported.code, exported.stderr]).toEqual([0, ""]);
    expect(await list(server, "/observability/traces/", key)).toMatchObject([
      { name: "describe", project_id: expect.stringMatching(/^prj_[a-z2-7]{20}$/) },
    ]);

    const wrong = await runProgram("script.ts", {
      args: ["--flush"],
      env: { ...env, AGATE_API_KEY: `ag_00000000_${"0".repeat(32)}` },
    });
    expect(wrong.stderr).toContain("check AGATE_API_KEY");
    expect(await list(server, "/observability/traces/", key)).toHaveLength(1);

    await server.stop();
    await expectHidden(key, folder.path);
    await using again = await startServer(place);
    expect(await list(again, "/registry/keys", key)).toMatchObject([
      { name: "shop", last_used_at: expect.stringMatching(/:00\.000Z$/) },
    ]);
  });

  it("is refused while there is no key", async () => {
    await using folder = await emptyDataFolder();
    const args = ["server", "--port", "0", "--data-dir", folder.path, "--require-key"];
    expectRefusal(
      await runAgate(args),
      1,
      "will not start with --require-key and without API keys",
    );
    expect(await readdir(folder.path)).toEqual([]);
  });
});

describe("keys create --data-dir", () => {
  it("is refused while a server uses the folder, which makes keys itself", async () => {
    await using folder = await emptyDataFolder();
    await using server = await startServer({ dataDirectory: folder.path });
    const create = ["keys", "create", "ci", "--scope", "read"];
    const refused = await runInProcess([...create, "--data-dir", folder.path]);
    expectRefusal(
      refused,
      1,
      /A server is using the data directory .* without --data-dir, or stop/,
    );
    const made = await runAgate([...create, "--url", server.url]);
    expect(made.code, made.stderr).toBe(0);
    expect((await get(server, "/observability/traces/", made.stdout.trim())).status).toBe(200);
  });
});

describe("--rate-limit", () => {
  it("slows a key down and tells it for how long, and 0 lifts it", async () => {
    await using folder = await emptyDataFolder();
    const key = await makeKey(folder.path, "ci", "--scope", "read");
    const statuses = async (...flags: string[]) => {
      await using server = await startServer({ dataDirectory: folder.path, flags });
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => get(server, "/observability/traces/", key)),
      );
      for (const { status, headers } of answers) {
        expect(headers.get("retry-after")).toBe(status === 429 ? "1" : null);
      }
      return new Set(answers.map(({ status }) => status));
    };
    expect(await statuses("--rate-limit", "1")).toEqual(new Set([200, 429]));
    expect(await statuses("--rate-limit", "0")).toEqual(new Set([200]));
  });
});
