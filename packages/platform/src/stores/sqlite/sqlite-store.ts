import type { DatabaseSync } from "node:sqlite";
import type { MessagePort, Transferable } from "node:worker_threads";
import { MessageChannel } from "node:worker_threads";
import { spawnThread, YOUNG_GENERATION } from "../../threads/spawn-thread.ts";
import { reportDamaged } from "../list-page.ts";
import type { QueryLimits } from "../query-lane.ts";
import type { ScorePart } from "../score-parts.ts";
import type { ScoreFiguresRequest, ScoreFiguresResult } from "../score-query.ts";
import type { ScoreBatch, ScoreOutcome } from "../score-store.ts";
import { DamagedSegmentError } from "../segments/segment.ts";
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
  ProjectCount,
  SpanAppender,
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
import type { StoreTrouble } from "../store-errors.ts";
import { StoreThread } from "../store-thread.ts";
import { TreeThread } from "../trees/tree-thread.ts";
import type { DataDirectory } from "./data-directory.ts";
import { openDataDirectory, openForReading } from "./data-directory.ts";
import { QueryThreads } from "./query-threads.ts";
import { prepareIndex } from "./span-index-file.ts";
import type { SpanIndexApi, SpanIndexData } from "./span-indexer.ts";
import type { CommitNotice, WriterApi, WriterData } from "./sqlite-appender.ts";
import { createSqliteAppender } from "./sqlite-appender.ts";
import { TraceReader } from "./trace-reader.ts";

export interface SqliteStoreOptions {
  readonly directory: string;
  /** A thread of the store died of an unexpected error: the store cannot be used any more. */
  readonly onFailure?: (error: Error) => void;
  /** A span or a trace could not be processed in full; the store keeps working. */
  readonly onTrouble?: (trouble: StoreTrouble) => void;
  readonly queries?: QueryLimits | undefined;
  /** A trace that holds this many takes no new ones; unlimited by default. */
  readonly maxSpansPerTrace?: number | undefined;
  /** Traces with more spans are read in a thread of their own. */
  readonly largeTraceSpans?: number;
  /** How much of a segment must be superseded before it is compacted; tests use a small value. */
  readonly compactFromBytes?: number;
  /** How long a trace must have received nothing before it is packed; tests use a short time. */
  readonly quietMs?: number;
}

/** Two, so that a slow list does not block the others. */
const LIST_THREADS = 2;

interface Threads {
  readonly writer: StoreThread<WriterApi>;
  readonly index: StoreThread<SpanIndexApi>;
  /** Apart from each other, so that no list waits for figures of millions of traces. */
  readonly lists: QueryThreads;
  readonly analytics: QueryThreads;
  readonly trees: TreeThread;
  /** Where the writer announces its commits. */
  readonly commits: MessagePort;
}

/**
 * Opens the embedded store in a folder, and creates the folder if it does not exist.
 *
 * @throws DataDirectoryError with one sentence when the folder cannot be used.
 * @example const store = await openSqliteStore({ directory: ".agate" })
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SpanStore> {
  const directory = openDataDirectory(options.directory);
  try {
    const { isBehind } = prepareIndex(directory.path);
    const store = new SqliteStore(directory, makeThreads(options), options);
    if (isBehind) store.resumeIndexing();
    return store;
  } catch (error) {
    directory.release();
    throw error;
  }
}

/**
 * Spans in SQLite. Point reads happen in the thread that calls, over a connection of its own: they
 * take microseconds. Writes, long queries and the full-text index each have a thread.
 */
class SqliteStore implements SpanStore {
  readonly #directory: DataDirectory;
  readonly #threads: Threads;
  readonly #connection: DatabaseSync;
  readonly #reader: TraceReader;
  readonly #appender: SpanAppender;
  readonly #listeners = new Set<(changes: readonly TraceChange[]) => void>();

  readonly #onTrouble: (trouble: StoreTrouble) => void;

  constructor(
    directory: DataDirectory,
    threads: Threads,
    { onTrouble = () => {} }: SqliteStoreOptions,
  ) {
    this.#directory = directory;
    this.#onTrouble = onTrouble;
    this.#threads = threads;
    this.#connection = openForReading(directory.path);
    this.#reader = new TraceReader(this.#connection, threads.trees);
    this.#appender = createSqliteAppender(this.#appendPort());
    threads.commits.on("message", (changes: CommitNotice) => {
      for (const listener of this.#listeners) listener(changes);
      this.resumeIndexing();
    });
  }

  append(batch: SpanBatch): Promise<AppendOutcome> {
    return this.#appender.append(batch);
  }

  appenderHandle(): AppenderHandle {
    const port = this.#appendPort();
    return { kind: "sqlite", port, transfer: [port] };
  }

  readTree(
    project: string,
    focus: TreeFocus,
    gone?: () => AbortSignal,
  ): TreeRead | Promise<TreeRead> {
    return this.#reader.readTree(project, focus, gone);
  }

  async readTops(
    project: string,
    traceIds: readonly string[],
    options: TopsOptions = {},
  ): Promise<TopsRead> {
    return this.#reader.readTops(project, traceIds, options, (error) =>
      this.#onTrouble({ what: "A damaged trace was left out of live events.", error }),
    );
  }

  async listTraces(request: ListRequest, gone?: AbortSignal): Promise<ListPage> {
    const page = await this.#threads.lists.run("listTraces", request, gone);
    return reportDamaged(page, this.#onTrouble);
  }

  async listSpans(request: ListRequest, gone?: AbortSignal): Promise<ListPage> {
    const page = await this.#threads.lists.run("listSpans", request, gone);
    return reportDamaged(page, this.#onTrouble);
  }

  analytics(request: AnalyticsRequest, gone?: AbortSignal): Promise<AnalyticsResult> {
    return this.#threads.analytics.run("analytics", request, gone);
  }

  scoreFigures(request: ScoreFiguresRequest, gone?: AbortSignal): Promise<ScoreFiguresResult> {
    return this.#threads.analytics.run("scoreFigures", request, gone);
  }

  earliestStart(request: EarliestRequest, gone?: AbortSignal): Promise<number | null> {
    return this.#threads.analytics.run("earliestStart", request, gone);
  }

  putScores(batch: ScoreBatch): Promise<ScoreOutcome> {
    return this.#appender.putScores(batch);
  }

  deleteTrace(project: string, traceId: string): Promise<DeleteOutcome> {
    return this.#threads.writer.call("deleteTrace", [project, traceId]);
  }

  expire(receivedBefore: number, limit: number): Promise<number> {
    return this.#threads.writer.call("expire", [receivedBefore, limit]);
  }

  countSpans(): Promise<readonly ProjectCount[]> {
    return this.#threads.analytics.first.call("countSpans", []);
  }

  async *exportSpans(after: string | null): AsyncGenerator<SpanPart, void, void> {
    for (let position = after; ; ) {
      const { parts, damaged } = await this.#threads.analytics.first.call("exportParts", [
        position,
      ]);
      if (damaged !== null) throw new DamagedSegmentError(damaged);
      const last = parts.at(-1);
      if (last === undefined) return;
      yield* parts;
      position = last.position;
    }
  }

  countScores(): Promise<ReadonlyMap<string, number>> {
    return this.#threads.analytics.first.call("countScores", []);
  }

  async *exportScores(after: string | null): AsyncGenerator<ScorePart, void, void> {
    for (let position = after; ; ) {
      const part = await this.#threads.analytics.first.call("exportScores", [position]);
      if (part === null) return;
      yield part;
      position = part.position;
    }
  }

  searchCaughtUp(): Promise<void> {
    return this.#threads.index.call("catchUp", []);
  }

  async traceSizes(after: string | null): Promise<TraceSizePage> {
    const rows = this.#connection
      .prepare(
        `SELECT trace_no, project, trace_id AS traceId, spans FROM traces
         WHERE trace_no > ? ORDER BY trace_no LIMIT ${TRACES_PER_PAGE}`,
      )
      .all(Number(after ?? -1)) as unknown as (TraceSize & { readonly trace_no: number })[];
    const last = rows.at(-1);
    return {
      items: rows.map(({ project, traceId, spans }) => ({ project, traceId, spans })),
      next: rows.length < TRACES_PER_PAGE || last === undefined ? null : String(last.trace_no),
    };
  }

  async sizesOf(project: string, traceIds: readonly string[]): Promise<Map<string, number>> {
    const rows = this.#connection
      .prepare(
        `SELECT trace_id, spans FROM json_each(?) n
         CROSS JOIN traces t ON t.project = ? AND t.trace_id = n.value`,
      )
      .all(JSON.stringify(traceIds), project) as { trace_id: string; spans: number }[];
    return new Map(rows.map(({ trace_id, spans }) => [trace_id, spans]));
  }

  async newestArrival(): Promise<number | null> {
    const row = this.#connection.prepare("SELECT max(received) AS newest FROM traces").get();
    return (row as { newest: number | null }).newest;
  }

  async keepFor(): Promise<"by-steps"> {
    return "by-steps";
  }

  watch(listener: (changes: readonly TraceChange[]) => void): Watch {
    this.#listeners.add(listener);
    return { ready: Promise.resolve(), stop: () => this.#listeners.delete(listener) };
  }

  async check(): Promise<void> {
    this.#connection.prepare("SELECT 1 FROM sqlite_schema").get();
  }

  /** Wakes the index after a commit. */
  resumeIndexing(): void {
    this.#threads.index.tell("wake", []);
  }

  async close(): Promise<void> {
    const { writer, index, lists, analytics, trees, commits } = this.#threads;
    await Promise.all([index.end(), lists.end(), analytics.end(), trees.end()]);
    this.#connection.close();
    // Last, because the last connection to close moves the write-ahead log into the database file.
    await writer.end();
    commits.close();
    this.#directory.release();
  }

  #appendPort(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#threads.writer.tell("connect", [port1], [port1]);
    return port2;
  }
}

function makeThreads(options: SqliteStoreOptions): Threads {
  const { directory, queries, largeTraceSpans } = options;
  const { onFailure = () => {}, onTrouble = () => {} } = options;
  const { maxSpansPerTrace = Number.POSITIVE_INFINITY, compactFromBytes, quietMs } = options;
  const commits = new MessageChannel();
  const troublePort = () => {
    const { port1, port2 } = new MessageChannel();
    port1.on("message", onTrouble).unref();
    return port2;
  };
  const spawn = (name: string, data: unknown, ...transfer: Transferable[]) =>
    spawnThread(import.meta.url, name, data, transfer, YOUNG_GENERATION.store);
  const writer = new StoreThread<WriterApi>(() => {
    const troubles = troublePort();
    const changes = commits.port2;
    const data: WriterData = {
      directory,
      maxSpansPerTrace,
      changes,
      troubles,
      compactFromBytes,
      quietMs,
    };
    return spawn("writer-worker", data, changes, troubles);
  }, onFailure);
  const index = new StoreThread<SpanIndexApi>(
    () => {
      const { port1, port2 } = new MessageChannel();
      writer.tell("connect", [port1], [port1]);
      const troubles = troublePort();
      const data: SpanIndexData = { directory, writer: port2, troubles };
      return spawn("span-index-worker", data, port2, troubles);
    },
    onFailure,
    "descriptor-shortage",
  );
  const lists = new QueryThreads(LIST_THREADS, directory, onFailure, queries);
  const analytics = new QueryThreads(1, directory, onFailure, queries);
  const trees = new TreeThread({
    spawn: () => spawnThread(import.meta.url, "sqlite-tree-worker", directory),
    largeTraceSpans,
    onTrouble,
  });
  return { writer, index, lists, analytics, trees, commits: commits.port1 };
}
