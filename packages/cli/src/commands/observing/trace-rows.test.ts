import type { SpanStatus } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { plainPaint } from "../../terminal/plain-paint.fixture.ts";
import type { Column } from "../../terminal/table.ts";
import { layOutTable, tableHead, tableLine } from "../../terminal/table.ts";
import { spanRecord } from "./span-record.fixture.ts";
import { costLine, statusCell, TRACE_COLUMNS, traceRow } from "./trace-rows.ts";

const NOW = Date.parse("2026-11-15T10:00:42Z");
const TRACE = "0af7651916cd43dd8448eb211c80319c";

const SPANS = [
  spanRecord({
    name: "invoke_workflow summarize",
    variant: { variant_id: null, variant_name: "default", revision: 3 },
    environment: "production",
    metadata: { latency: 1234, attributes: { "ag.route": "/summarize" } },
  }),
  spanRecord({ name: "nightly job without a route", status: "ERROR" }),
];

/** The list as a terminal of this width shows it. `usual`: as `--follow` lays it out. */
function listAt(columns: number | undefined, usual: "measured" | "usual" = "measured"): string[] {
  const rows = SPANS.map((span) => traceRow({ terminal: { columns }, now: NOW }, span));
  const measured: readonly Column[] = TRACE_COLUMNS.map(({ usual: _, ...column }) => column);
  const layout =
    usual === "usual"
      ? layOutTable(TRACE_COLUMNS, [], columns)
      : layOutTable(measured, rows, columns);
  return [tableHead(layout, plainPaint), ...rows.map((row) => tableLine(layout, row, plainPaint))];
}

describe("the status of a span", () => {
  it("is that of OpenTelemetry, or that it was cancelled", () => {
    const statusOf = (status: SpanStatus, metadata: { cancelled?: true }) =>
      statusCell(spanRecord({ status, metadata })).text;
    expect(statusOf("UNSET", {})).toBe("UNSET");
    expect(statusOf("UNSET", { cancelled: true })).toBe("CANCELLED");
    expect(statusOf("ERROR", { cancelled: true })).toBe("ERROR");
  });
});

describe("the status of a listed trace", () => {
  it("says how many spans failed below a top that is fine", () => {
    const statusOf = (status: SpanStatus, metadata: { failed_spans?: number; cancelled?: true }) =>
      traceRow({ terminal: { columns: 200 }, now: NOW }, spanRecord({ status, metadata }))[2];
    expect(statusOf("OK", { failed_spans: 2 })).toEqual({ text: "OK, 2 failed", style: "yellow" });
    expect(statusOf("UNSET", { failed_spans: 1, cancelled: true })).toEqual({
      text: "CANCELLED, 1 failed",
      style: "yellow",
    });
    expect(statusOf("ERROR", { failed_spans: 2 })).toEqual({ text: "ERROR", style: "red" });
    expect(statusOf("OK", {})).toEqual({ text: "OK", style: "green" });
  });
});

describe("the cost of a list", () => {
  const line = (...costs: readonly (number | null)[]) =>
    costLine(costs.map((cost) => spanRecord({ metadata: { total: { usage: null, cost } } })));

  it("says how many traces it is of", () => {
    expect(line(0.1, null, 0.2)).toBe("Cost: $0.30 for 2 of 3 traces");
    expect(line(0.1, 0, 0.2)).toBe("Cost: $0.30 for 3 traces");
  });

  it("says of how many traces it is a part, because calls have no price", () => {
    const part = spanRecord({
      metadata: { total: { usage: null, cost: 0.5, unpriced_calls: 2 } },
    });
    const whole = spanRecord({ metadata: { total: { usage: null, cost: 0.25 } } });
    expect(costLine([part, whole])).toBe("Cost: $0.75 for 1 of 2 traces, 1 in part");
    expect(costLine([part, part])).toBe("Cost: $1.00 for 0 of 2 traces, 2 in part");
    expect(traceRow({ terminal: { columns: 200 }, now: NOW }, part)[5]).toBe("≥ $0.50");
  });

  it("is left out where none is known, and for a single trace", () => {
    expect([line(), line(null, null), line(1)]).toEqual([undefined, undefined, undefined]);
  });
});

describe("a list of traces", () => {
  it("has names and routes in full where there is room, and in a pipe", () => {
    for (const columns of [200, undefined]) {
      const [head, workflow, job] = listAt(columns);
      expect(head).toMatch(/^TIME .* COST .* TRACE$/);
      expect(workflow).toContain("  invoke_workflow summarize  ");
      expect(job).toContain("  nightly job without a route  ");
    }
  });

  it("has the route instead of the span's name at 120 columns, and every other column", () => {
    const [head, workflow, job] = listAt(120);
    expect(head).toMatch(
      /^TIME +NAME +STATUS +LATENCY +TOKENS +COST +VARIANT +ENVIRONMENT +TRACE$/,
    );
    expect(workflow).toMatch(/^42 s ago {2}\/summarize +OK +1\.23 s +– +– +default@3 +production/);
    expect(job).toMatch(/^42 s ago {2}nightly job w.* ERROR/);
  });

  it("has the route and the whole id at 80 columns", () => {
    expect(listAt(80)).toEqual([
      "TIME      NAME                 STATUS  LATENCY  TRACE",
      `42 s ago  /summarize           OK       1.23 s  ${TRACE}`,
      `42 s ago  nightly job withou…  ERROR      0 µs  ${TRACE}`,
    ]);
  });

  it("leaves out times at 60 columns, and stays on the line", () => {
    expect(listAt(60)).toEqual([
      "NAME                STATUS  TRACE",
      `/summarize          OK      ${TRACE}`,
      `nightly job witho…  ERROR   ${TRACE}`,
    ]);
  });

  it.each([60, 80, 120, 200])("that is followed has the route at %i columns", (columns) => {
    const [, workflow] = listAt(columns, "usual");
    expect(workflow).toMatch(/^(?:42 s ago +)?\/summarize /);
    for (const line of listAt(columns, "usual")) expect(line.length).toBeLessThanOrEqual(columns);
  });
});
