import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, it } from "vitest";
import { deployClient } from "../../deployments/deploy-client.fixture.ts";
import { openPacker, support } from "../../deployments/pack-workflow.fixture.ts";
import { startServer } from "../../running-server.ts";
import { withPlatform } from "../with-platform.ts";

const { open, platform } = withPlatform(startServer);

beforeAll(async () => {
  await using packer = await openPacker();
  const client = deployClient(platform().url);
  for (const build of ["one", "two"]) await client.mustDeploy(await packer.pack(support(build)));
});

/** Reports of servers that are not there, as they would write them. */
function report(...servers: (readonly [server: string, build: number, restarts: number])[]): void {
  using db = new DatabaseSync(join(platform().dataDirectory, "registry.db"));
  db.exec("PRAGMA busy_timeout = 10000");
  const insert = db.prepare(
    `INSERT INTO server_reports (server_id, environment_id, build_id, processes, restarts, last_exit, memory_mib, reported_at)
     SELECT ?, environments.id, builds.id, ?, ?, ?, 84, ?
     FROM environments, builds WHERE environments.slug = 'production' AND builds.number = ?`,
  );
  const at = new Date().toISOString();
  for (const [server, build, restarts] of servers) {
    const exit = restarts === 0 ? null : "It ended with code 3 after 200 ms.";
    insert.run(server, restarts === 0 ? 1 : 0, restarts, exit, at, build);
  }
}

it("shows what each server runs, and which are behind or in a crash loop", async () => {
  await using web = await open("/apps/support/environments/production");
  const { page } = web;
  const servers = page.getByRole("region", { name: "Servers" });
  const rows = servers.getByRole("listitem");
  await rows.first().getByText("Serving").waitFor();
  await rows.first().getByText("build 2", { exact: true }).waitFor();
  await rows.first().getByText("1 process", { exact: true }).waitFor();
  expect(await rows.count()).toBe(1);

  report(["agate-late", 1, 0], ["agate-lost", 2, 5]);
  const lost = rows.filter({ hasText: "agate-lost" });
  await lost.getByText("Crash loop").waitFor();
  await lost.getByText("no process, 84 MB, 5 restarts").waitFor();
  await lost.getByText("Last exit: It ended with code 3").waitFor();
  const late = rows.filter({ hasText: "agate-late" });
  // Shortly after the deployment it is not behind yet.
  await late.getByText("Switching").waitFor();
  await late.getByText("instead of build 2").waitFor();
  await late.getByText("1 process, 84 MB").waitFor();
  await servers.getByText("1 of 3 servers in a crash loop").waitFor();
  await web.expectAccessible();
  await web.look({ width: 390 });
  await web.expectNoOverflow();

  await web.open("/apps/support");
  const production = page.getByRole("article", { name: "production" });
  await production.getByText("1 of 3 servers in a crash loop").waitFor();
  web.expectNoFaults();
});
