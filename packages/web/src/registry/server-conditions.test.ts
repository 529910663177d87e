import type { Deployment, ServerStatus } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { serverProblem, serverRows } from "./server-conditions.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 15, 10, 0, seconds)).toISOString();

function server(name: string, change: Partial<ServerStatus> = {}): ServerStatus {
  return {
    ...{ server: name, environment: "production", build: 4, state: "serving", processes: 1 },
    ...{ restarts: 0, last_exit: null, memory_bytes: null, reported_at: at(600), ...change },
  } as ServerStatus;
}

const deployed = (seconds: number, build = 4) =>
  ({
    build: { id: `bld_${build}`, number: build, kind: "hosted" },
    deployed_at: at(seconds),
  }) as Deployment;

function conditions(servers: readonly ServerStatus[], deployment: Deployment | null) {
  const rows = serverRows(servers, { slug: "production", deployment });
  return rows.map(({ server, condition }) => `${server} ${condition}`);
}

describe("serverRows", () => {
  it("are those of one environment, problems first, and by name", () => {
    const servers = [
      server("b"),
      server("a"),
      server("c", { state: "crash_loop", processes: 0, restarts: 3 }),
      server("d", { build: 3 }),
      server("e", { state: "idle", processes: 0 }),
      server("f", { environment: "staging" }),
    ];
    expect(conditions(servers, deployed(0))).toEqual([
      "c crash-loop",
      "d behind",
      "a serving",
      "b serving",
      "e idle",
    ]);
  });

  it.each([
    [60, "switching"],
    [61, "behind"],
  ])("run another build for %i s after a deployment: %s", (seconds, condition) => {
    const servers = [server("a", { build: 3 }), server("b", { reported_at: at(600) })];
    expect(conditions(servers, deployed(600 - seconds))[0]).toBe(`a ${condition}`);
  });

  it.each([
    [60, "serving"],
    [61, "silent"],
  ])("have not reported for %i s, by the clock of the others: %s", (seconds, condition) => {
    const servers = [server("a", { reported_at: at(600 - seconds) }), server("b")];
    expect(conditions(servers, deployed(0))).toContain(`a ${condition}`);
  });

  it("are not behind where nothing is live: they end", () => {
    expect(conditions([server("a")], null)).toEqual(["a serving"]);
    expect(conditions([], deployed(0))).toEqual([]);
  });
});

describe("serverProblem", () => {
  const problem = (...servers: ServerStatus[]) =>
    serverProblem(serverRows(servers, { slug: "production", deployment: deployed(0) }));

  it("is the worst one, with how many servers have it", () => {
    const crashing = server("c", { state: "crash_loop", processes: 0 });
    const behind = server("d", { build: 3 });
    expect(problem(server("a"), crashing, behind)).toEqual({
      tone: "danger",
      text: "1 of 3 servers in a crash loop",
    });
    expect(problem(server("a"), behind)).toEqual({
      tone: "warning",
      text: "1 of 2 servers behind",
    });
    expect(problem(behind)?.text).toBe("1 of 1 server behind");
    expect(problem(server("a"))).toBeNull();
    expect(problem()).toBeNull();
  });
});
