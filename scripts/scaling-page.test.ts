import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { EngineFigures, StoresRun } from "../bench/stores/figures.ts";
import { ASSUMPTIONS, planCapacity } from "./capacity-plan.ts";
import { PAGE, renderPage } from "./scaling-page.ts";

const page = readFileSync(PAGE, "utf8");

describe("the guide to scaling", () => {
  it("has the plan that follows from its figures", () => {
    expect(page, "Run scripts/scaling-page.ts to write it anew.").toBe(renderPage(page, null));
  });

  it("has what the plan assumes", () => {
    const { peak, busy, reading, full, copies, retentionDays } = ASSUMPTIONS;
    for (const [name, value] of Object.entries({ peak, busy, reading, full, copies })) {
      expect(page).toContain(`| \`${name}\` | ${value} |`);
    }
    expect(page).toContain(`| \`retention\` | ${retentionDays} days |`);
    const { agateCores, nodeCores, nodeMemoryGib, nodeDiskTb } = ASSUMPTIONS;
    expect(page).toContain(`| a server of Agate | ${agateCores} cores`);
    expect(page).toContain(`${nodeCores} cores, ${nodeMemoryGib} GiB, ${nodeDiskTb} TB |`);
  });

  it("gets the figures of a run, and the plan with them", () => {
    const run: StoresRun = {
      date: "2030-01-02",
      command: "npm run bench -- stores",
      machine: "a machine",
      cores: 64,
      loadBefore: 0.2,
      engines: [
        figures("sqlite", 3000, null),
        figures("postgres", 1500, 60),
        figures("clickhouse", 500, 100),
      ],
    };
    const rendered = renderPage(page, run);
    expect(rendered).toContain(
      "`npm run bench -- stores` on 2030-01-02, a machine; a span is 1000",
    );
    expect(rendered).toContain("| bytes on disk, a span | 3,000 | 1,500 (0.50×) | 500 (0.17×) |");
    expect(rendered).toContain(
      "| 10,000,000,000 | 116,000; 347,000 | 15 | 27 | 81 | 116 | 214 TB; 643 TB |",
    );
    expect(renderPage(rendered, null)).toBe(rendered);
    expect(rendered).not.toContain("A trial");
    expect(renderPage(page, { ...run, loadBefore: 40 })).toContain("load 40 on 64 cores");
  });
});

it("plans disk and cores, and never fewer servers than may be spared", () => {
  const inputs = { diskBytes: 500, serverMicros: 50, engineMicros: 100 };
  const large = planCapacity(1e10, inputs);
  expect(large.diskTbPerCopy).toBeCloseTo(214.3, 1);
  expect(large.databaseCores).toBeCloseTo(115.7, 1);
  expect(large).toMatchObject({ agatePods: 15, shards: 27, nodes: 81 });
  expect(planCapacity(1e6, inputs)).toMatchObject({ agatePods: 3, shards: 1, nodes: 3 });
  // Small spans that take long: the cores decide.
  expect(planCapacity(1e10, { ...inputs, diskBytes: 10 }).shards).toBe(8);
});

function figures(
  engine: EngineFigures["engine"],
  diskBytesPerSpan: number,
  engineMicros: number | null,
): EngineFigures {
  return {
    engine,
    description: `${engine} on a machine`,
    spans: 1_000_000,
    sentBytesPerSpan: 1000,
    diskBytesPerSpan,
    logBytesPerSpan: null,
    ingest: { spansPerSecond: 20_000, p50: 100, p95: 200, serverMicros: 50, engineMicros },
    bulkSpansPerSecond: 30_000,
    serverMegabytes: 400,
    reads: [
      {
        what: "a trace of 20 spans",
        connections: 32,
        perSecond: 5000,
        p50: 6,
        p95: 9,
        micros: 150,
      },
    ],
  };
}
