import { beforeAll, describe, expect, it } from "vitest";
import type { ServerReport } from "../registry.ts";
import type { Subject } from "./subject.fixture.ts";
import { done, keysOf } from "./subject.fixture.ts";

export function describeServerReports(subject: Subject): void {
  describe("reports of servers", () => {
    let [production, staging] = ["", ""];

    beforeAll(async () => {
      await subject.freshApplication();
      const idOf = async (slug: string) =>
        done(await subject.registry.environments.get(subject.app, slug)).id;
      [production, staging] = [await idOf("production"), await idOf("staging")];
    });

    const report = (change: Partial<ServerReport> = {}): ServerReport => ({
      ...{ environmentId: production, buildId: "bld_gone", processes: 1, restarts: 0 },
      ...{ lastExit: null, memoryBytes: null, ...change },
    });
    const list = async () => done(await subject.registry.reports.list(subject.app));

    it("are replaced by the next of the same server, and removed by an empty one", async () => {
      const { reports } = subject.registry;
      await reports.write("one", [report(), report({ environmentId: staging, processes: 2 })]);
      const ended = { restarts: 1, lastExit: "It ended with code 1.", memoryBytes: 3 * 1024 ** 3 };
      await reports.write("two", [report(ended)]);
      const seen = (await list()).map((each) => [each.server, each.environment, each.processes]);
      expect(seen).toHaveLength(3);
      expect(seen).toEqual(
        expect.arrayContaining([
          ["one", "production", 1],
          ["one", "staging", 2],
          ["two", "production", 1],
        ]),
      );
      await reports.write("one", [report({ processes: 3 })]);
      expect((await list()).map(({ server, processes }) => [server, processes])).toEqual([
        ["one", 3],
        ["two", 1],
      ]);
      await reports.write("one", []);
      expect(await list()).toEqual([
        {
          ...{ server: "two", environment: "production", build: null, state: "serving" },
          ...{ processes: 1, restarts: 1, last_exit: "It ended with code 1." },
          memory_bytes: 3 * 1024 ** 3,
          reported_at: expect.any(String),
        },
      ]);
      await reports.write("two", []);
      expect(await list()).toEqual([]);
    });

    it.each([
      [{ processes: 0, restarts: 0 }, "idle"],
      [{ processes: 0, restarts: 1 }, "idle"],
      [{ processes: 0, restarts: 2 }, "crash_loop"],
      [{ processes: 1, restarts: 9 }, "serving"],
    ])("show %o as %s", async (change, state) => {
      await subject.registry.reports.write("one", [report(change)]);
      expect(await list()).toMatchObject([{ ...change, state }]);
      await subject.registry.reports.write("one", []);
    });

    it("leave out an environment that is gone", async () => {
      await subject.registry.reports.write("one", [
        report({ environmentId: "env_gone" }),
        report(),
      ]);
      expect(await list()).toMatchObject([{ environment: "production" }]);
      await subject.registry.reports.write("one", []);
    });

    it("are stale after two minutes, and deleted after an hour", async () => {
      let time = Date.parse("2026-11-16T10:00:00.000Z");
      const { reports } = await subject.registryWith(keysOf(subject.key), () => new Date(time));
      const servers = async () => done(await reports.list(subject.app)).map(({ server }) => server);
      await reports.write("killed", [report()]);
      time += 120_000;
      await reports.write("other", [report()]);
      expect(await servers()).toEqual(["killed", "other"]);
      time += 1;
      expect(await servers()).toEqual(["other"]);
      const rows = async () =>
        (await subject.db.selectFrom("server_reports").select("server_id").execute()).length;
      time += 3_479_999;
      await reports.write("other", []);
      expect(await rows()).toBe(1);
      time += 1;
      await reports.write("other", []);
      expect(await rows()).toBe(0);
    });
  });
}
