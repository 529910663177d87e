import type { ClickHouseClient } from "@clickhouse/client";
import { spawnThread } from "../../threads/spawn-thread.ts";
import type { QueryLimits } from "../query-lane.ts";
import { QUERY_LIMITS, QueryLane } from "../query-lane.ts";
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
  TraceSizePage,
  TreeFocus,
  TreeRead,
  Watch,
} from "../span-store.ts";
import type { ClickHouseAddress } from "../store-address.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { TreeThread } from "../trees/tree-thread.ts";
import { ChangePoller } from "./change-poller.ts";
import { ClickHouseAppender } from "./clickhouse-appender.ts";
import { asClickHouseRefusal } from "./clickhouse-errors.ts";
import { ClickHouseSession, connectClickHouse } from "./clickhouse-session.ts";
import { ListReader } from "./list-reader.ts";
import { keepRowsFor, prepareDatabase } from "./prepare-database.ts";
import { earliestStart, runAnalytics } from "./run-analytics.ts";
import { runScoreFigures } from "./run-score-figures.ts";
import { ScoreExporter } from "./score-exporter.ts";
import { ScoreWriter } from "./score-writer.ts";
import { SpanExporter } from "./span-exporter.ts";
import { SummaryKeeper } from "./summary-keeper.ts";
import { TraceReader } from "./trace-reader.ts";
import { TraceRemover } from "./trace-remover.ts";

export interface ClickHouseStoreOptions {
  readonly address: ClickHouseAddress;
  readonly onFailure?: (error: Error) => void;
  /** A span or a trace could not be processed in full; the store keeps working. */
  readonly onTrouble?: (trouble: StoreTrouble) => void;
  readonly queries?: QueryLimits | undefined;
  /** A trace that holds this many takes no new ones; unlimited by default. */
  readonly maxSpansPerTrace?: number | undefined;
  /** Traces with more spans are read in a thread of their own. */
  readonly largeTraceSpans?: number;
  /**
   * Creates the client in place of the default one; it is closed with the store. Threads cannot use it, so
   * all traces are read in the calling thread.
   */
  readonly connect?: (address: ClickHouseAddress) => ClickHouseClient;
}

/** Connections that lists and analytics may use: reads of traces wait for neither. */
const LISTS_AT_ONCE = 6;
const ANALYTICS_AT_ONCE = 4;

/**
 * Opens the store in a ClickHouse database, and creates the database if it does not exist.
 *
 * @throws StoreRefusalError with one sentence when it cannot be used as it is.
 */
export async function openClickHouseStore(options: ClickHouseStoreOptions): Promise<SpanStore> {
  const { address, connect = connectClickHouse, onTrouble = () => {} } = options;
  const session = new ClickHouseSession(connect(address), address);
  try {
    await prepareDatabase(session);
    // Connections of its own: probes must not wait behind long statements.
    const probe = new ClickHouseSession(connect(address), address);
    const trees = new TreeThread({
      spawn: () => spawnThread(import.meta.url, "clickhouse-tree-worker", address),
      largeTraceSpans: options.connect ? Number.POSITIVE_INFINITY : options.largeTraceSpans,
      onTrouble,
    });
    return new ClickHouseStore(session, probe, trees, options);
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** Opens the write side alone, of a store that was opened before. */
export function openClickHouseAppender(
  address: ClickHouseAddress,
  maxSpansPerTrace: number,
  onTrouble: (trouble: StoreTrouble) => void,
): OpenAppender {
  const session = new ClickHouseSession(connectClickHouse(address), address);
  const appender = new ClickHouseAppender(session, maxSpansPerTrace, onTrouble);
  const scores = new ScoreWriter(session);
  return {
    append: (batch) => appender.append(batch),
    putScores: (batch) => scores.put(batch),
    close: async () => {
      await appender.close();
      await session.close();
    },
  };
}

class ClickHouseStore implements SpanStore {
  readonly #session: ClickHouseSession;
  readonly #probe: ClickHouseSession;
  readonly #maxSpansPerTrace: number;
  readonly #keeper: SummaryKeeper;
  readonly #appender: ClickHouseAppender;
  readonly #trees: TreeThread;
  readonly #traces: TraceReader;
  readonly #queries: QueryLimits;
  readonly #lists: QueryLane;
  readonly #analytics: QueryLane;
  readonly #remover: TraceRemover;
  readonly #exporter: SpanExporter;
  readonly #changes: ChangePoller;
  readonly #scores: ScoreWriter;
  readonly #scoreExporter: ScoreExporter;

  constructor(
    session: ClickHouseSession,
    probe: ClickHouseSession,
    trees: TreeThread,
    {
      onFailure = () => {},
      onTrouble = () => {},
      queries = QUERY_LIMITS,
      maxSpansPerTrace = Number.POSITIVE_INFINITY,
    }: ClickHouseStoreOptions,
  ) {
    this.#maxSpansPerTrace = maxSpansPerTrace;
    this.#queries = queries;
    this.#session = session;
    this.#probe = probe;
    this.#keeper = new SummaryKeeper(session, onTrouble);
    this.#appender = new ClickHouseAppender(session, maxSpansPerTrace, onTrouble);
    this.#trees = trees;
    this.#traces = new TraceReader(session, trees);
    this.#lists = new QueryLane(LISTS_AT_ONCE, queries);
    this.#analytics = new QueryLane(ANALYTICS_AT_ONCE, queries);
    this.#remover = new TraceRemover(session);
    this.#exporter = new SpanExporter(session);
    this.#scores = new ScoreWriter(session);
    this.#scoreExporter = new ScoreExporter(session);
    this.#changes = new ChangePoller(session, onFailure);
  }

  append(batch: SpanBatch): Promise<AppendOutcome> {
    return this.#appender.append(batch);
  }

  appenderHandle(): AppenderHandle {
    const { address } = this.#session;
    return { kind: "clickhouse", address, maxSpansPerTrace: this.#maxSpansPerTrace, transfer: [] };
  }

  readTree(project: string, focus: TreeFocus, gone?: () => AbortSignal): Promise<TreeRead> {
    return this.#traces.readTree(project, focus, gone);
  }

  readTops(
    project: string,
    traceIds: readonly string[],
    options: TopsOptions = {},
  ): Promise<TopsRead> {
    return this.#traces.readTops(project, traceIds, options);
  }

  listTraces(request: ListRequest, gone?: AbortSignal): Promise<ListPage> {
    return this.#lists.run(gone, (signal) =>
      new ListReader(this.#until(signal)).listTraces(request),
    );
  }

  listSpans(request: ListRequest, gone?: AbortSignal): Promise<ListPage> {
    return this.#lists.run(gone, (signal) =>
      new ListReader(this.#until(signal)).listSpans(request),
    );
  }

  #until(signal: AbortSignal): ClickHouseSession {
    return this.#session.until({ signal, timeoutMs: this.#queries.timeoutMs });
  }

  analytics(request: AnalyticsRequest, gone?: AbortSignal): Promise<AnalyticsResult> {
    return this.#analytics.run(gone, (signal) => runAnalytics(this.#until(signal), request));
  }

  scoreFigures(request: ScoreFiguresRequest, gone?: AbortSignal): Promise<ScoreFiguresResult> {
    return this.#analytics.run(gone, (signal) => runScoreFigures(this.#until(signal), request));
  }

  earliestStart(request: EarliestRequest, gone?: AbortSignal): Promise<number | null> {
    return this.#analytics.run(gone, (signal) => earliestStart(this.#until(signal), request));
  }

  putScores(batch: ScoreBatch): Promise<ScoreOutcome> {
    return this.#scores.put(batch);
  }

  deleteTrace(project: string, traceId: string): Promise<DeleteOutcome> {
    return this.#remover.deleteTrace(project, traceId);
  }

  expire(receivedBefore: number, limit: number): Promise<number> {
    return this.#remover.expire(receivedBefore, limit);
  }

  countSpans(): Promise<readonly ProjectCount[]> {
    return this.#exporter.countSpans();
  }

  exportSpans(after: string | null): AsyncIterable<SpanPart> {
    return this.#exporter.exportSpans(after);
  }

  countScores(): Promise<ReadonlyMap<string, number>> {
    return this.#scoreExporter.count();
  }

  exportScores(after: string | null): AsyncIterable<ScorePart> {
    return this.#scoreExporter.exportScores(after);
  }

  /** Words are indexed with the insert. */
  async searchCaughtUp(): Promise<void> {}

  traceSizes(after: string | null): Promise<TraceSizePage> {
    return this.#exporter.traceSizes(after);
  }

  sizesOf(project: string, traceIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#exporter.sizesOf(project, traceIds);
  }

  async newestArrival(): Promise<number | null> {
    const [row] = await this.#session.rows<[number, number]>(
      `SELECT count(), max(received) FROM ${this.#session.table("spans")}`,
    );
    const [count, newest] = row ?? [0, 0];
    return count === 0 ? null : newest;
  }

  async keepFor(keepMs: number | null): Promise<"by-database"> {
    try {
      await keepRowsFor(this.#session, keepMs);
    } catch (error) {
      throw asClickHouseRefusal(this.#session.address, error);
    }
    return "by-database";
  }

  watch(listener: (changes: readonly TraceChange[]) => void): Watch {
    return this.#changes.watch(listener);
  }

  async check(): Promise<void> {
    await this.#probe.rows("SELECT 1");
  }

  async close(): Promise<void> {
    this.#changes.close();
    await this.#appender.close();
    await this.#keeper.close();
    await Promise.all([this.#trees.end(), this.#session.close(), this.#probe.close()]);
  }
}
