import { spawnThread, YOUNG_GENERATION } from "../../threads/spawn-thread.ts";
import type { QueryLimits } from "../query-lane.ts";
import { QueryLane } from "../query-lane.ts";
import type { ScorePart } from "../score-parts.ts";
import type { ScoreFiguresRequest, ScoreFiguresResult } from "../score-query.ts";
import type {
  AnalyticsRequest,
  AnalyticsResult,
  EarliestRequest,
  ListPage,
  ListRequest,
} from "../span-query.ts";
import type { ProjectCount } from "../span-store.ts";
import { StoreThread } from "../store-thread.ts";
import { interrupt, interruptMemory } from "./query-interrupt.ts";
import type { ExportedParts } from "./span-exporter.ts";

interface QueryThread {
  readonly thread: StoreThread<QueryApi>;
  readonly interruptions: SharedArrayBuffer;
}

/** Queries that can be stopped. */
type Query = "listTraces" | "listSpans" | "analytics" | "scoreFigures" | "earliestStart";

/** Threads for queries of one kind: each runs one query at a time; the rest is queued. */
export class QueryThreads {
  readonly #threads: readonly QueryThread[];
  readonly #lane: QueryLane;
  #queries = 0;

  constructor(
    count: number,
    directory: string,
    onFailure: (error: Error) => void,
    limits?: QueryLimits,
  ) {
    this.#lane = new QueryLane(count, limits);
    this.#threads = Array.from({ length: count }, () => {
      const interruptions = interruptMemory();
      const data: QueryData = { directory, interruptions };
      const spawn = () =>
        spawnThread(import.meta.url, "query-worker", data, [], YOUNG_GENERATION.store);
      return {
        thread: new StoreThread<QueryApi>(spawn, onFailure, "descriptor-shortage"),
        interruptions,
      };
    });
  }

  /** Runs a query, and interrupts its statement when the client disconnects or it takes too long. */
  run<Name extends Query>(
    name: Name,
    request: Parameters<QueryApi[Name]>[1],
    gone: AbortSignal | undefined,
  ): Promise<Awaited<ReturnType<QueryApi[Name]>>> {
    return this.#lane.run(gone, (signal, slot) => {
      const { thread, interruptions } = this.#threads[slot] as QueryThread;
      // As large as the shared memory can hold.
      this.#queries = (this.#queries % 0x7fff_ffff) + 1;
      const query = this.#queries;
      signal.addEventListener("abort", () => interrupt(interruptions, query), { once: true });
      return thread.call(name, [query, request] as never);
    });
  }

  /** The thread for calls that cannot be interrupted. */
  get first(): StoreThread<QueryApi> {
    return (this.#threads[0] as QueryThread).thread;
  }

  async end(): Promise<void> {
    await Promise.all(this.#threads.map(({ thread }) => thread.end()));
  }
}

/** A query is interrupted by its number. */
export type QueryApi = {
  listTraces(query: number, request: ListRequest): Promise<ListPage>;
  listSpans(query: number, request: ListRequest): Promise<ListPage>;
  analytics(query: number, request: AnalyticsRequest): Promise<AnalyticsResult>;
  scoreFigures(query: number, request: ScoreFiguresRequest): Promise<ScoreFiguresResult>;
  earliestStart(query: number, request: EarliestRequest): Promise<number | null>;
  countSpans(): Promise<readonly ProjectCount[]>;
  /** What comes next after a position; empty at the end. */
  exportParts(after: string | null): Promise<ExportedParts>;
  countScores(): Promise<ReadonlyMap<string, number>>;
  /** The part of all scores after a position; null at the end. */
  exportScores(after: string | null): Promise<ScorePart | null>;
  close(): Promise<void>;
};

export interface QueryData {
  readonly directory: string;
  /** See `interruptMemory`. */
  readonly interruptions: SharedArrayBuffer;
}
