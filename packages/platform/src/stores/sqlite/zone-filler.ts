import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SpanColumns } from "../summary/summary-columns.ts";
import type { ListedTable } from "./sql.ts";
import { SUMMARY_COLUMNS } from "./trace-summaries.ts";
import type { ZoneMap } from "./zone-map.ts";
import { ZONES } from "./zone-map.ts";

/** Rows that one step looks at: a few milliseconds, so that no batch waits long behind it. */
const ROWS_PER_STEP = 1_000;

/** A row of {@link selectRows}. */
export type NumberedRow = [number: number, project: string, ...SpanColumns];

/** The last rows that the zones lack. */
interface Unzoned {
  readonly traces: number;
  readonly spans: number;
}

/**
 * Adds the rows that were written before there were zones, from the last to the first. `unzoned` stores its progress,
 * so that a restart resumes it; until it has ended, lists do without zones.
 */
export class ZoneFiller {
  readonly #left: StatementSync;
  readonly #isOlderLeft: StatementSync;
  readonly #rows: Record<ListedTable, StatementSync>;
  readonly #advance: StatementSync;
  readonly #finish: StatementSync;
  readonly #zones: ZoneMap;

  constructor(db: DatabaseSync, zones: ZoneMap) {
    this.#zones = zones;
    this.#left = db.prepare("SELECT traces, spans FROM unzoned");
    this.#isOlderLeft = db.prepare("SELECT 1 FROM older_segments");
    const before = (table: ListedTable) => {
      const { number } = ZONES[table];
      return selectRows(db, table, `${number} <= ? ORDER BY ${number} DESC LIMIT ?`);
    };
    this.#rows = { t: before("t"), p: before("p") };
    this.#advance = db.prepare("UPDATE unzoned SET traces = ?, spans = ?");
    this.#finish = db.prepare("DELETE FROM unzoned");
  }

  /** @returns False when there is nothing to add, or not yet. */
  fillSome(): boolean {
    const left = this.#left.get() as unknown as Unzoned | undefined;
    // Rows that are yet to get a route or a revision would be outside of their zones then: see older-spans.ts.
    if (left === undefined || this.#isOlderLeft.get() !== undefined) return false;
    if (left.traces > 0) this.#advance.run(this.#addRows("t", left.traces), left.spans);
    else if (left.spans > 0) this.#advance.run(0, this.#addRows("p", left.spans));
    else this.#finish.run();
    return true;
  }

  /** @returns The last row that is left. */
  #addRows(table: ListedTable, last: number): number {
    const rows = this.#rows[table].all(last, ROWS_PER_STEP) as unknown as NumberedRow[];
    for (const [number, project, ...row] of rows) this.#zones.add(table, number, project, row);
    this.#zones.write();
    return (rows.at(-1)?.[0] ?? 1) - 1;
  }
}

/** Selects rows with all that zones know of them. @param which A condition, and an order. */
export function selectRows(db: DatabaseSync, table: ListedTable, which: string): StatementSync {
  const { rows, number } = ZONES[table];
  const id = table === "t" ? "trace_id" : "span_id";
  const statement = db.prepare(
    `SELECT ${number}, project, ${id}, ${SUMMARY_COLUMNS}, cost FROM ${rows} WHERE ${which}`,
  );
  statement.setReturnArrays(true);
  return statement;
}

/** Empties the zones, to be filled again. It must run inside a transaction. */
export function emptyZones(db: DatabaseSync): void {
  db.exec(`DELETE FROM trace_zones; DELETE FROM span_zones; DELETE FROM unzoned;
    INSERT INTO unzoned
    SELECT (SELECT coalesce(max(trace_no), 0) FROM traces), (SELECT coalesce(max(span_no), 0) FROM spans)`);
}
