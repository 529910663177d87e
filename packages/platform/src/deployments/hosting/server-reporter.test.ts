import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_PROJECT_ID } from "@agate/protocol";
import { expect, it, onTestFinished, vi } from "vitest";
import { openRegistry } from "../../registry/open-registry.ts";
import type { ServerReport } from "../../registry/registry.ts";
import { openRegistryDatabase } from "../../stores/registry/open-registry-database.ts";
import { ServerReporter } from "./server-reporter.ts";

const APP = { project: DEFAULT_PROJECT_ID, application: "support" };
const NEVER = 3_600_000;

/** A registry with an application, what a server runs, and what is reported of it. */
async function reported() {
  const directory = await mkdtemp(join(tmpdir(), "agate-reports-"));
  const registry = await openRegistry(await openRegistryDatabase({ kind: "sqlite", directory }));
  onTestFinished(async () => {
    await registry.close();
    await rm(directory, { recursive: true });
  });
  await registry.applications.create(APP.project, APP.application);
  const environment = await registry.environments.get(APP, "production");
  if (environment.kind === "refused") throw new Error("There is no production.");
  const report: ServerReport = {
    environmentId: environment.value.id,
    buildId: "bld_1",
    processes: 1,
    restarts: 0,
    lastExit: null,
    memoryBytes: null,
  };
  const list = async () => {
    const servers = await registry.reports.list(APP);
    if (servers.kind === "refused") throw new Error("There is no application.");
    return servers.value;
  };
  return { reports: registry.reports, report, list };
}

const unexpected = (error: unknown) => {
  throw error;
};

it("reports what a server runs when it changes, and nothing after the server's end", async () => {
  const { reports, report, list } = await reported();
  let current: readonly ServerReport[] = [];
  const options = { everyMs: NEVER, onError: unexpected, current: () => current };
  const write = vi.fn(reports.write);
  const one = new ServerReporter({ ...options, reports: { write } });
  const other = new ServerReporter({ ...options, reports });
  one.start();
  other.start();
  current = [report];
  one.update();
  other.update();
  await expect.poll(async () => (await list()).length).toBe(2);
  expect(new Set((await list()).map(({ server }) => server)).size).toBe(2);

  // What has not changed is not written again.
  const before = write.mock.calls.length;
  current = [{ ...report }];
  one.update();
  current = [{ ...report, processes: 0, restarts: 2, lastExit: "It ended with code 1." }];
  one.update();
  await expect.poll(async () => (await list()).map(({ state }) => state)).toContain("crash_loop");
  expect(write.mock.calls.length - before).toBe(1);

  await one.close();
  await other.close();
  one.update();
  await one.close();
  expect(await list()).toEqual([]);
});

it("reports again every so often, also after the registry was away", async () => {
  const { reports, report, list } = await reported();
  let isAway = true;
  const errors: unknown[] = [];
  const reporter = new ServerReporter({
    reports: {
      write: (...args) => (isAway ? Promise.reject(new Error("away")) : reports.write(...args)),
    },
    everyMs: 20,
    current: () => [report],
    onError: (error) => errors.push(error),
  });
  reporter.start();
  await expect.poll(() => errors.length).toBeGreaterThan(1);
  isAway = false;
  await expect.poll(async () => (await list()).length).toBe(1);
  const [first] = await list();
  await expect.poll(async () => (await list())[0]?.reported_at).not.toBe(first?.reported_at);
  await reporter.close();
  expect(await list()).toEqual([]);
});
