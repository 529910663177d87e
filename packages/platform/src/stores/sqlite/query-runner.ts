import type { DatabaseSync } from "node:sqlite";
import type { ScorePart } from "../score-parts.ts";
import type { ScoreFiguresRequest, ScoreFiguresResult } from "../score-query.ts";
import { NO_SCORES_FOUND } from "../score-query.ts";
import type {
  AnalyticsRequest,
  AnalyticsResult,
  EarliestRequest,
  ListPage,
  ListRequest,
  SpanFilter,
} from "../span-query.ts";
import type { ProjectCount } from "../span-store.ts";
import { NOTHING_FOUND } from "../summary/analytics-cells.ts";
import { openForReading } from "./data-directory.ts";
import type { IsRare } from "./filter-sql.ts";
import { whereFilter } from "./filter-sql.ts";
import { ListReader } from "./list-reader.ts";
import { QueryInterrupt } from "./query-interrupt.ts";
import { earliestStart, registerCollectNumbers, runAnalytics } from "./run-analytics.ts";
import { runScoreFigures } from "./run-score-figures.ts";
import { ScoreExporter } from "./score-exporter.ts";
import type { ExportedParts } from "./span-exporter.ts";
import { SpanExporter } from "./span-exporter.ts";
import type { Sql } from "./sql.ts";
import { allOf } from "./sql.ts";
import { TracePhrases } from "./trace-phrases.ts";

/** This many rows are looked up and sorted in some tens of milliseconds. */
const RARE_MATCHES = 20_000;

/** Lists, search and analytics: the reads that may take long, on a connection of their own. */
export class QueryRunner {
  readonly #db: DatabaseSync;
  readonly #exporter: SpanExporter;
  readonly #scoreExporter: ScoreExporter;
  readonly #interrupt: QueryInterrupt;
  readonly #phrases: TracePhrases;
  readonly #lists: ListReader;
  readonly #rareMatches: number;

  /**
   * @param interruptions See {@link interruptMemory}.
   * @param rareMatches Rows up to which a query finds few; tests use fewer.
   */
  constructor(directory: string, interruptions: SharedArrayBuffer, rareMatches = RARE_MATCHES) {
    this.#rareMatches = rareMatches;
    this.#db = openForReading(directory);
    this.#interrupt = new QueryInterrupt(this.#db, interruptions);
    this.#exporter = new SpanExporter(this.#db);
    this.#scoreExporter = new ScoreExporter(this.#db);
    const check = () => this.#interrupt.check();
    const phrases = new TracePhrases(this.#db, check);
    this.#phrases = phrases;
    this.#lists = new ListReader(this.#db, { isRare: this.#isRare, phrases, check });
    registerCollectNumbers(this.#db);
  }

  /** @param query Its number, by which it can be stopped: see {@link interrupt}. */
  listTraces(query: number, request: ListRequest): ListPage {
    return this.#atOneMoment(query, () => this.#lists.traces(request));
  }

  listSpans(query: number, request: ListRequest): ListPage {
    return this.#atOneMoment(query, () => this.#lists.spans(request));
  }

  analytics(query: number, request: AnalyticsRequest): AnalyticsResult {
    return this.#atOneMoment(query, () => this.#analytics(request));
  }

  scoreFigures(query: number, request: ScoreFiguresRequest): ScoreFiguresResult {
    return this.#atOneMoment(query, () => this.#scoreFigures(request));
  }

  earliestStart(query: number, request: EarliestRequest): number | null {
    return this.#atOneMoment(query, () => this.#earliestStart(request));
  }

  #analytics(request: AnalyticsRequest): AnalyticsResult {
    const where = this.#exact(request.project, request.filter);
    return where === undefined ? NOTHING_FOUND : runAnalytics(this.#db, request, where);
  }

  #scoreFigures(request: ScoreFiguresRequest): ScoreFiguresResult {
    const { project, filter } = request;
    const where = this.#exact(project, filter);
    if (where === undefined) return NO_SCORES_FOUND;
    const scores = "SELECT 1 FROM scores WHERE project = ?";
    const areFew = this.#isRare({ text: scores, values: [project] });
    return runScoreFigures(this.#db, request, where, areFew);
  }

  #earliestStart({ project, filter }: EarliestRequest): number | null {
    const where = this.#exact(project, filter);
    return where === undefined ? null : earliestStart(this.#db, where);
  }

  /** The conditions on traces, including those on their records. */
  #exact(project: string, filter: SpanFilter): Sql | undefined {
    const where = whereFilter("t", project, filter, this.#isRare);
    if (where === undefined || where.phrases.length === 0) return where;
    // Behind the others, which may be correlated subqueries too: SQLite tests these in their order.
    return allOf([where, this.#phrases.condition(where.phrases)]);
  }

  countSpans(): ProjectCount[] {
    const counts = this.#db.prepare(
      "SELECT project, count(*) AS traces, sum(spans) AS spans FROM traces GROUP BY project ORDER BY project",
    );
    return counts.all() as unknown as ProjectCount[];
  }

  countScores(): Map<string, number> {
    return this.#scoreExporter.count();
  }

  exportScores(after: string | null): ScorePart | null {
    return this.#scoreExporter.partAfter(after);
  }

  exportParts(after: string | null): ExportedParts {
    return this.#exporter.partsAfter(after);
  }

  readonly #isRare: IsRare = ({ text, values }, most = this.#rareMatches) => {
    const { n } = this.#db
      .prepare(`SELECT count(*) AS n FROM (${text} LIMIT ?)`)
      .get(...values, most + 1) as { n: number };
    return n <= most;
  };

  close(): void {
    this.#db.close();
  }

  /** Runs in one transaction, so that a record lies where its row says. */
  #atOneMoment<Result>(query: number, read: () => Result): Result {
    this.#db.exec("BEGIN");
    try {
      return this.#interrupt.during(query, read);
    } finally {
      this.#phrases.forgetAnswers();
      // An error that has ended the transaction must not be hidden by a failing COMMIT.
      if (this.#db.isTransaction) this.#db.exec("COMMIT");
    }
  }
}
