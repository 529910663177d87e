import { once } from "node:events";
import type { DatabaseSync } from "node:sqlite";
import type { MessagePort, Transferable, Worker } from "node:worker_threads";
import { MessageChannel } from "node:worker_threads";
import { spawnThread } from "../../threads/spawn-thread.ts";
import type { ThreadApi, ThreadClient } from "../../threads/thread-rpc.ts";
import { connectThread } from "../../threads/thread-rpc.ts";
import type { AppenderHandle } from "../appender-handle.ts";
import type { AnalyticsBucket, AnalyticsRequest, ListPage, ListRequest } from "../span-query.ts";
import type {
  AppendOutcome,
  SpanAppender,
  SpanBatch,
  SpanStore,
  TraceChange,
  TreeFocus,
  TreeRead,
} from "../span-store.ts";
import type { DataDirectory } from "./data-directory.ts";
import { openDataDirectory } from "./data-directory.ts";
import { openForReading } from "./open-for-reading.ts";
import type { QueryApi, QueryData } from "./query-api.ts";
import type { SpanIndexApi, SpanIndexData } from "./span-index-api.ts";
import { createSqliteAppender } from "./sqlite-appender.ts";
import { TraceReader } from "./trace-reader.ts";
import type { CommitNotice, WriterApi, WriterData } from "./writer-api.ts";

export interface SqliteStoreOptions {
  readonly directory: string;
  /** A thread of the store died of an unexpected error: the store is of no more use. */
  readonly onFailure?: (error: Error) => void;
}

interface Thread<Api extends ThreadApi> {
  readonly client: ThreadClient<Api>;
  readonly worker: Worker;
}

interface Threads {
  readonly writer: Thread<WriterApi>;
  readonly index: Thread<SpanIndexApi>;
  readonly query: Thread<QueryApi>;
  readonly commits: MessagePort;
}

/**
 * Opens the embedded store in a folder, which is made if it is not there.
 *
 * @throws DataDirectoryError with one sentence when the folder cannot be used.
 * @example const store = await openSqliteStore({ directory: ".agate" })
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SpanStore> {
  const directory = openDataDirectory(options.directory);
  try {
    return new SqliteStore(directory, await startThreads(options));
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

  constructor(directory: DataDirectory, threads: Threads) {
    this.#directory = directory;
    this.#threads = threads;
    this.#connection = openForReading(directory.path);
    this.#reader = new TraceReader(this.#connection);
    this.#appender = createSqliteAppender(this.#appendPort());
    threads.commits.on("message", (changes: CommitNotice) => {
      for (const listener of this.#listeners) listener(changes);
      void threads.index.client.call("wake", []);
    });
  }

  append(batch: SpanBatch): Promise<AppendOutcome> {
    return this.#appender.append(batch);
  }

  appenderHandle(): AppenderHandle {
    const port = this.#appendPort();
    return { kind: "sqlite", port, transfer: [port] };
  }

  readTree(project: string, focus: TreeFocus): Promise<TreeRead> {
    return this.#reader.readTree(project, focus);
  }

  async readTops(project: string, traceIds: readonly string[]): Promise<readonly string[]> {
    return traceIds
      .map((traceId) => this.#reader.readTop(project, traceId))
      .filter((top) => top !== undefined);
  }

  listTraces(request: ListRequest): Promise<ListPage> {
    return this.#threads.query.client.call("listTraces", [request]);
  }

  listSpans(request: ListRequest): Promise<ListPage> {
    return this.#threads.query.client.call("listSpans", [request]);
  }

  analytics(request: AnalyticsRequest): Promise<readonly AnalyticsBucket[]> {
    return this.#threads.query.client.call("analytics", [request]);
  }

  deleteTrace(project: string, traceId: string): Promise<boolean> {
    return this.#threads.writer.client.call("deleteTrace", [project, traceId]);
  }

  expire(receivedBefore: number, limit: number): Promise<number> {
    return this.#threads.writer.client.call("expire", [receivedBefore, limit]);
  }

  searchCaughtUp(): Promise<void> {
    return this.#threads.index.client.call("catchUp", []);
  }

  watch(listener: (changes: readonly TraceChange[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    const { writer, index, query, commits } = this.#threads;
    await Promise.all([end(index), end(query)]);
    this.#connection.close();
    // Last: the connection that closes last moves the write-ahead log into the database file.
    await end(writer);
    commits.close();
    this.#directory.release();
  }

  #appendPort(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    void this.#threads.writer.client.call("connect", [port1], [port1]);
    return port2;
  }
}

async function startThreads({ directory, onFailure }: SqliteStoreOptions): Promise<Threads> {
  const commits = new MessageChannel();
  const toWriter = new MessageChannel();
  const start = <Api extends ThreadApi>(
    name: string,
    data: unknown,
    transfer: readonly Transferable[],
  ): Thread<Api> => {
    const worker = spawnThread(import.meta.url, name, data, transfer);
    const client = connectThread<Api>(worker);
    worker.on("error", (error) => {
      client.fail(error);
      onFailure?.(error);
    });
    worker.on("exit", () => client.fail(new Error(`The thread ${name} has ended`)));
    return { client, worker };
  };
  const writer = start<WriterApi>(
    "writer-worker",
    { directory, changes: commits.port2 } satisfies WriterData,
    [commits.port2],
  );
  const index = start<SpanIndexApi>(
    "span-index-worker",
    { directory, writer: toWriter.port2 } satisfies SpanIndexData,
    [toWriter.port2],
  );
  await Promise.all([
    writer.client.call("connect", [toWriter.port1], [toWriter.port1]),
    // Readers attach the index file, so that has to be there first.
    index.client.call("wake", []),
  ]);
  const query = start<QueryApi>("query-worker", { directory } satisfies QueryData, []);
  return { writer, index, query, commits: commits.port1 };
}

async function end<Api extends ThreadApi & { close(): Promise<void> }>(
  thread: Thread<Api>,
): Promise<void> {
  const exited = once(thread.worker, "exit");
  await (thread.client as ThreadClient<{ close(): Promise<void> }>).call("close", []);
  await exited;
}
