import { MessageChannel } from "node:worker_threads";
import { spawnThread } from "../../threads/spawn-thread.ts";
import { reportDamaged } from "../list-page.ts";
import type { QueryLimits } from "../query-lane.ts";
import { QueryLane } from "../query-lane.ts";
import type { ScorePart } from "../score-parts.ts";
import type { ScoreFiguresRequest, ScoreFiguresResult } from "../score-query.ts";
import type { ScoreBatch, ScoreOutcome } from "../score-store.ts";
import type {
  AnalyticsRequest,
  AnalyticsResult,
  EarliestRequest,
  ListPage,
  ListRequest,
} from "../span-query.ts";
import type {
  AppenderHandle,
  AppendOutcome,
  DeleteOutcome,
  OpenAppender,
  ProjectCount,
  SpanBatch,
  SpanPart,
  SpanStore,
  TopsOptions,
  TopsRead,
  TraceChange,
  TraceSize,
  TraceSizePage,
  TreeFocus,
  TreeRead,
  Watch,
} from "../span-store.ts";
import { TRACES_PER_PAGE } from "../span-store.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import { StoreThread } from "../store-thread.ts";
import { TreeThread } from "../trees/tree-thread.ts";
import type { CompactionRule } from "./compact-segments.ts";
import { COMPACT_AFTER_MS } from "./compact-segments.ts";
import { countScores, exportScores } from "./export-scores.ts";
import { countSpans, exportSpans } from "./export-spans.ts";
import { listSpans, listTraces } from "./list-reader.ts";
import type { MaintenanceApi, MaintenanceData } from "./maintenance.ts";
import { openPostgresAppender } from "./postgres-appender.ts";
import { prepareSpanDatabase } from "./prepare-database.ts";
import { earliestStart, runAnalytics } from "./run-analytics.ts";
import { runScoreFigures } from "./run-score-figures.ts";
import { putScores } from "./score-table.ts";
import { SpanDatabase } from "./span-database.ts";
import { TraceReader } from "./trace-reader.ts";
import { deleteTrace, expireTraces } from "./trace-remover.ts";
import { TraceWatch } from "./trace-watch.ts";

export interface PostgresStoreOptions {
  readonly address: PostgresAddress;
  /** The maintenance thread died of an unexpected error: the store cannot be used any more. */
  readonly onFailure: (error: Error) => void;
  /** A maintenance task failed; the store keeps working. */
  readonly onTrouble?: (trouble: StoreTrouble) => void;
  readonly queries?: QueryLimits | undefined;
  /** A trace that holds this many takes no new ones; unlimited by default. */
  readonly maxSpansPerTrace?: number | undefined;
  /** Traces with more spans are read in a thread of their own. */
  readonly largeTraceSpans?: number;
  /** When segments are compacted; tests use small values. */
  readonly compaction?: CompactionRule;
  /** About how many spans a zone has; tests use small values. */
  readonly spansPerZone?: number;
}

/** Ten servers, with the other connections that they have, stay within PostgreSQL's usual hundred. */
const CONNECTIONS = 5;
/** Connections that lists and analytics may use: reads of traces wait for neither. */
const LISTS_AT_ONCE = 2;
const ANALYTICS_AT_ONCE = 2;
/** Statements besides queries, which have limits of their own; counting all spans takes some seconds. */
const STATEMENT_MS = 30_000;
/** Probes have a connection of their own, so that they do not wait behind long statements. */
const PROBE = { connections: 1, statementMs: 2_000 };

/**
 * Opens the store of a PostgreSQL database, whose tables are made or brought up to date.
 *
 * @throws StoreRefusalError with one sentence when the database cannot be used.
 * @example const store = await openPostgresStore({ address, onFailure })
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<SpanStore> {
  await prepareSpanDatabase(options.address);
  return new PostgresStore(options);
}

/**
 * Spans in PostgreSQL. Any number of servers use the same tables; what one has committed all others read at
 * once.
 */
class PostgresStore implements SpanStore {
  readonly #address: PostgresAddress;
  readonly #maxSpansPerTrace: number;
  readonly #database: SpanDatabase;
  readonly #probe: SpanDatabase;
  readonly #trees: TreeThread;
  readonly #reader: TraceReader;
  readonly #lists: QueryLane;
  readonly #analytics: QueryLane;
  readonly #watch: TraceWatch;
  readonly #maintenance: StoreThread<MaintenanceApi>;
  /** Opened on first use: ingest has an appender of its own in another thread. */
  #appender: OpenAppender | undefined;
  readonly #onTrouble: (trouble: StoreTrouble) => void;

  constructor(options: PostgresStoreOptions) {
    const {
      address,
      onFailure,
      onTrouble = () => {},
      queries,
      largeTraceSpans,
      spansPerZone,
    } = options;
    const { maxSpansPerTrace = Number.POSITIVE_INFINITY } = options;
    const { compaction = { afterMs: Math.max(COMPACT_AFTER_MS, queries?.timeoutMs ?? 0) } } =
      options;
    this.#address = address;
    this.#maxSpansPerTrace = maxSpansPerTrace;
    this.#onTrouble = onTrouble;
    this.#lists = new QueryLane(LISTS_AT_ONCE, queries);
    this.#analytics = new QueryLane(ANALYTICS_AT_ONCE, queries);
    this.#database = new SpanDatabase(address, {
      connections: CONNECTIONS,
      // The limit for statements that could not be cancelled.
      statementMs: Math.max(STATEMENT_MS, queries?.timeoutMs ?? 0),
    });
    this.#probe = new SpanDatabase(address, PROBE);
    this.#trees = new TreeThread({
      spawn: () => spawnThread(import.meta.url, "postgres-tree-worker", address),
      largeTraceSpans,
      onTrouble,
    });
    this.#reader = new TraceReader(this.#database, this.#trees);
    this.#watch = new TraceWatch(this.#database, onFailure);
    const { port1, port2: troubles } = new MessageChannel();
    port1.on("message", onTrouble).unref();
    const data: MaintenanceData = { address, troubles, compaction, spansPerZone };
    this.#maintenance = new StoreThread<MaintenanceApi>(
      () => spawnThread(import.meta.url, "postgres-maintenance-worker", data, [troubles]),
      onFailure,
    );
    this.#maintenance.tell("start", []);
  }

  append(batch: SpanBatch): Promise<AppendOutcome> {
    this.#appender ??= openPostgresAppender(this.#address, this.#maxSpansPerTrace);
    return this.#appender.append(batch);
  }

  appenderHandle(): AppenderHandle {
    return {
      kind: "postgres",
      address: this.#address,
      maxSpansPerTrace: this.#maxSpansPerTrace,
      transfer: [],
    };
  }

  readTree(project: string, focus: TreeFocus, gone?: () => AbortSignal): Promise<TreeRead> {
    return this.#reader.readTree(project, focus, gone);
  }

  readTops(
    project: string,
    traceIds: readonly string[],
    options: TopsOptions = {},
  ): Promise<TopsRead> {
    return this.#reader.readTops(project, traceIds, options, (error) =>
      this.#onTrouble({ what: "A damaged trace was left out of live events.", error }),
    );
  }

  async listTraces(request: ListRequest, gone?: AbortSignal): Promise<ListPage> {
    const page = await this.#lists.run(gone, (signal) =>
      listTraces(this.#database.until(signal), request),
    );
    return reportDamaged(page, this.#onTrouble);
  }

  async listSpans(request: ListRequest, gone?: AbortSignal): Promise<ListPage> {
    const page = await this.#lists.run(gone, (signal) =>
      listSpans(this.#database.until(signal), request),
    );
    return reportDamaged(page, this.#onTrouble);
  }

  analytics(request: AnalyticsRequest, gone?: AbortSignal): Promise<AnalyticsResult> {
    return this.#analytics.run(gone, (signal) => runAnalytics(this.#database, request, signal));
  }

  scoreFigures(request: ScoreFiguresRequest, gone?: AbortSignal): Promise<ScoreFiguresResult> {
    return this.#analytics.run(gone, (signal) => runScoreFigures(this.#database, request, signal));
  }

  earliestStart(request: EarliestRequest, gone?: AbortSignal): Promise<number | null> {
    return this.#analytics.run(gone, (signal) => earliestStart(this.#database, request, signal));
  }

  putScores(batch: ScoreBatch): Promise<ScoreOutcome> {
    return putScores(this.#database, batch);
  }

  async deleteTrace(project: string, traceId: string): Promise<DeleteOutcome> {
    const outcome = await deleteTrace(this.#database, project, traceId);
    if (outcome.kind === "deleted") this.#maintenance.tell("wake", []);
    return outcome;
  }

  expire(receivedBefore: number, limit: number): Promise<number> {
    return expireTraces(this.#database, receivedBefore, limit);
  }

  countSpans(): Promise<readonly ProjectCount[]> {
    return countSpans(this.#database);
  }

  exportSpans(after: string | null): AsyncIterable<SpanPart> {
    return exportSpans(this.#database, after);
  }

  countScores(): Promise<ReadonlyMap<string, number>> {
    return countScores(this.#database);
  }

  exportScores(after: string | null): AsyncIterable<ScorePart> {
    return exportScores(this.#database, after);
  }

  async searchCaughtUp(): Promise<void> {
    const outcome = await this.#maintenance.call("catchUp", []);
    if (outcome.kind === "caught-up") return;
    throw new StoreUnavailableError(outcome.reason, { cause: undefined });
  }

  async traceSizes(after: string | null): Promise<TraceSizePage> {
    const rows = await this.#database.query<TraceSize & { readonly trace_no: number }>(
      `SELECT trace_no, project, trace_id AS "traceId", spans FROM agate.traces
       WHERE trace_no > $1 ORDER BY trace_no LIMIT ${TRACES_PER_PAGE}`,
      [Number(after ?? -1)],
    );
    const last = rows.at(-1);
    return {
      items: rows.map(({ project, traceId, spans }) => ({ project, traceId, spans })),
      next: rows.length < TRACES_PER_PAGE || last === undefined ? null : String(last.trace_no),
    };
  }

  async sizesOf(project: string, traceIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#database.query<{ trace_id: string; spans: number }>(
      "SELECT trace_id, spans FROM agate.traces WHERE project = $1 AND trace_id = ANY($2::text[])",
      [project, traceIds],
    );
    return new Map(rows.map(({ trace_id, spans }) => [trace_id, spans]));
  }

  async newestArrival(): Promise<number | null> {
    const [row] = await this.#database.query<{ newest: number | null }>(
      "SELECT max(received) AS newest FROM agate.traces",
    );
    return row?.newest ?? null;
  }

  async keepFor(): Promise<"by-steps"> {
    return "by-steps";
  }

  watch(listener: (changes: readonly TraceChange[]) => void): Watch {
    return this.#watch.watch(listener);
  }

  async check(): Promise<void> {
    await this.#probe.query("SELECT 1");
  }

  async close(): Promise<void> {
    await this.#appender?.close();
    await Promise.all([
      this.#maintenance.end(),
      this.#trees.end(),
      this.#database.close(() => this.#watch.close()),
      this.#probe.close(),
    ]);
  }
}
