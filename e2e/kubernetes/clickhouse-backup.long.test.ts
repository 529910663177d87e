import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  storedSpan,
  traceIdOf,
} from "../../packages/platform/src/stores/contract/stored-span.fixture.ts";
import { openSpanStore } from "../../packages/platform/src/stores/open-span-store.ts";
import {
  type ChdbServer,
  startChdbServer,
} from "../../packages/platform/src/stores/testing/chdb-server.fixture.ts";
import { type DataFolder, emptyDataFolder } from "../data-folder.ts";
import { MANIFESTS, objectOf, readTopology } from "./topology.fixture.ts";

// The script of clickhouse/backup.yaml as it is, with the real engine behind its client.

const objects = readTopology(join(MANIFESTS, "clickhouse"));
const job = objectOf(objects, "CronJob").spec.jobTemplate.spec.template.spec;
const [{ command, args, env }] = job.containers;

/**
 * In place of `clickhouse-client`. There is neither S3 nor a cluster here; what is in a backup depends
 * on neither.
 */
const CLIENT = `#!${process.execPath}
const { text } = require("node:stream/consumers");
const { URL_HERE: url, AUTHORIZATION_HERE: authorization, CLICKHOUSE_PASSWORD } = process.env;
text(process.stdin).then(async (asked) => {
  if (CLICKHOUSE_PASSWORD === undefined) throw new Error("No password");
  const body = asked.replaceAll("S3(", "Memory(").replace("ON CLUSTER agate", "");
  const answer = await fetch(url, { method: "POST", body, headers: { authorization } });
  process.stdout.write(asked + (await answer.text()));
  process.exitCode = answer.ok ? 0 : 1;
});
`;

let server: ChdbServer;
let folder: DataFolder;
beforeAll(async () => {
  [server, folder] = await Promise.all([startChdbServer(), emptyDataFolder()]);
  await writeFile(join(folder.path, "clickhouse-client"), CLIENT, { mode: 0o755 });
});
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
  await server?.dispose();
});

function authorization(): string {
  const { username, password } = server.address("default");
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

async function ask(statement: string): Promise<void> {
  const headers = { authorization: authorization() };
  const url = server.address("default").url;
  const answer = await fetch(url, { method: "POST", body: statement, headers });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Runs the job once, with what it says in the end. */
async function runJob(): Promise<{ readonly code: number | null; readonly told: string }> {
  const variables = env.map(({ name, value }: { name: string; value?: string }) => [
    name,
    value ?? "a secret",
  ]);
  const [shell, ...flags] = command as string[];
  const child = spawn(shell as string, [...flags, ...args], {
    env: {
      ...Object.fromEntries(variables),
      PATH: `${folder.path}:${process.env.PATH}`,
      URL_HERE: server.address("default").url,
      AUTHORIZATION_HERE: authorization(),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [told] = await Promise.all([text(child.stdout), once(child, "close")]);
  return { code: child.exitCode, told };
}

const openStore = () =>
  openSpanStore(server.address("agate"), {
    onFailure: (error) => {
      throw error;
    },
  });

/** Another trace, of one span. */
async function append(trace: number): Promise<void> {
  const store = await openStore();
  const spans = [storedSpan({ traceId: traceIdOf(trace) })];
  await store.append({ project: "p", receivedAt: Date.now() * 1000, spans });
  await store.close();
}

it("makes a full backup once a week and what has changed every night, which can be restored", async () => {
  await append(1);
  const full = await runJob();
  expect(full).toMatchObject({ code: 0, told: expect.stringContaining("BACKUP_CREATED") });
  await append(2);
  const night = await runJob();
  expect(night).toMatchObject({ code: 0, told: expect.stringContaining("BACKUP_CREATED") });
  const [, place, base] = /TO S3\('([^']+)'\) SETTINGS base_backup = S3\('([^']+)'\)/.exec(
    night.told,
  )!;
  expect(full.told).toContain(`TO S3('${base}')`);
  // The keys are in the servers' configuration, for what begins so.
  const { settings } = objectOf(objects, "ClickHouseInstallation").spec.configuration;
  expect(place).toMatch(new RegExp(`^${settings["s3/backups/endpoint"]}`));

  await ask("DROP DATABASE agate SYNC");
  await ask(`RESTORE DATABASE agate FROM Memory('${place}')`);
  const restored = await openStore();
  expect(await restored.countSpans()).toEqual([{ project: "p", traces: 2, spans: 2 }]);
  await restored.close();
});

it("fails with a message where there is nothing to back up", async () => {
  await ask("DROP DATABASE agate SYNC");
  expect(await runJob()).toMatchObject({ code: 1, told: expect.stringContaining("agate") });
});
