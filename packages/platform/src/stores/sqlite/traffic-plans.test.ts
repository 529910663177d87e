import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SpanFilter } from "../span-query.ts";
import { whereFilter } from "./filter-sql.ts";
import { interruptMemory, QueryInterrupt } from "./query-interrupt.ts";
import { migrate } from "./span-schema.ts";
import type { ListedTable } from "./sql.ts";

let db: DatabaseSync;
beforeAll(() => {
  db = new DatabaseSync(":memory:");
  migrate(db);
  new QueryInterrupt(db, interruptMemory());
});
afterAll(() => db.close());

const LISTS: Record<ListedTable, (where: string) => string> = {
  t: (where) =>
    `SELECT t.trace_id FROM traces t WHERE ${where}
     ORDER BY t.start DESC, t.start_nanos DESC, t.trace_id DESC LIMIT 51`,
  p: (where) =>
    `SELECT p.span_id FROM spans p CROSS JOIN traces t USING (trace_no) WHERE ${where}
     ORDER BY p.start DESC, p.start_nanos DESC, p.span_id DESC, t.trace_id DESC LIMIT 51`,
};

/** The steps of a list, without what they sort: the rows of one start are sorted by the rest of the order. */
function planOf(table: ListedTable, filter: SpanFilter, isRare: boolean): string[] {
  const where = whereFilter(table, "default", filter, () => isRare);
  if (where === undefined) throw new Error("Nothing can match");
  return db
    .prepare(`EXPLAIN QUERY PLAN ${LISTS[table](where.text)}`)
    .all(...where.values)
    .map(({ detail }) => String(detail))
    .filter((detail) => /^(SEARCH|SCAN)/.test(detail));
}

describe("a list", () => {
  it.each([
    ["of live traces", { traffic: "live" }, "traces_live (project=?)"],
    ["of evaluated traces", { traffic: "evaluation" }, "traces_evaluated (project=?)"],
    ["of all traces", {}, "traces_by_start (project=?)"],
    ["of a run", { run: "r" }, "traces_by_run (project=? AND run=?)"],
    [
      "of a run, named as evaluated",
      { run: "r", traffic: "evaluation" },
      "traces_by_run (project=? AND run=?)",
    ],
    [
      "of live traces of an application",
      { application: "a", traffic: "live" },
      "traces_by_application (project=? AND application=?)",
    ],
    [
      "of live traces of a session",
      { sessionId: "s", traffic: "live" },
      "traces_by_session (project=? AND session_id=?)",
    ],
    [
      "of live traces from some time on",
      { startedFrom: 5, traffic: "live" },
      "traces_live (project=? AND start>?)",
    ],
    ["with a failed span", { anyError: true }, "traces_failed (project=?)"],
    ["live, with a failed span", { anyError: true, traffic: "live" }, "traces_failed (project=?)"],
    [
      "of an application, with a failed span",
      { application: "a", anyError: true, traffic: "live" },
      "traces_failed (project=?)",
    ],
    [
      "from some time on, with a failed span",
      { startedFrom: 5, anyError: true, traffic: "live" },
      "traces_failed (project=? AND start>?)",
    ],
    [
      "of a session, with a failed span",
      { sessionId: "s", anyError: true, traffic: "live" },
      "traces_by_session (project=? AND session_id=?)",
    ],
    [
      "of a run, with a failed span",
      { run: "r", anyError: true },
      "traces_by_run (project=? AND run=?)",
    ],
    [
      "live, without a failed span",
      { anyError: false, traffic: "live" },
      "traces_live (project=?)",
    ],
  ] as const)("%s walks one index", (_, filter, index) => {
    expect(planOf("t", filter, false)).toEqual([`SEARCH t USING INDEX ${index}`]);
  });

  it("of live spans walks them in order, and looks their traces up", () => {
    expect(planOf("p", { traffic: "live" }, false)).toEqual([
      "SEARCH p USING INDEX spans_by_start (project=?)",
      "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
    ]);
  });

  it("of the few spans of a run, or of traces with a failed span, begins with the traces", () => {
    for (const filter of [{ run: "r" }, { traffic: "evaluation" }, { anyError: true }] as const) {
      const plan = planOf("p", filter, true);
      expect(plan[0]).toBe("SEARCH p USING INTEGER PRIMARY KEY (rowid=?)");
      expect(plan.join("\n")).toMatch(/SEARCH x USING .*INDEX traces_(by_run|evaluated|failed)/);
      expect(plan.join("\n")).toContain(
        "SEARCH s USING COVERING INDEX spans_by_trace (trace_no=?)",
      );
      expect(planOf("p", filter, false)[0]).toBe("SEARCH p USING INDEX spans_by_start (project=?)");
    }
  });
});
