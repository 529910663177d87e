import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { openClickHouseStore } from "../clickhouse/clickhouse-store.ts";
import { openPostgresStore } from "../postgres/postgres-store.ts";
import type { SpanStore, TraceChange } from "../span-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";

interface OpenStore {
  readonly name: string;
  readonly store: SpanStore;
  /** What its watcher was told since it was opened. */
  readonly told: TraceChange[];
}

/** A store of every kind. Every call goes to all of them, and their answers must be the same. */
export class Stores {
  readonly #opens: readonly (readonly [string, () => Promise<SpanStore>])[];
  readonly #dispose: () => Promise<void>;
  #open: readonly OpenStore[] = [];

  constructor(
    opens: Readonly<Record<string, () => Promise<SpanStore>>>,
    dispose: () => Promise<void>,
  ) {
    this.#opens = Object.entries(opens);
    this.#dispose = dispose;
  }

  async open(): Promise<void> {
    this.#open = await Promise.all(
      this.#opens.map(async ([name, open]) => {
        const store = await open();
        const told: TraceChange[] = [];
        await store.watch((changes) => told.push(...changes)).ready;
        return { name, store, told };
      }),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map(({ store }) => store.close()));
  }

  async dispose(): Promise<void> {
    await this.close();
    await this.#dispose();
  }

  /** Resolves with the answer that all give. */
  async same<Answer>(
    question: unknown,
    ask: (store: SpanStore) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const [first, ...others] = await Promise.all(
      this.#open.map(async ({ name, store }) => ({ name, answer: await ask(store) })),
    );
    if (first === undefined) throw new Error("No store is open");
    for (const { name, answer } of others) {
      const difference = `${name} and ${first.name} differ in ${JSON.stringify(question)}`;
      expect(answer, difference).toEqual(first.answer);
    }
    return first.answer;
  }

  /** Resolves when all that was committed can be found by its words. */
  async searchCaughtUp(): Promise<void> {
    await Promise.all(this.#open.map(({ store }) => store.searchCaughtUp()));
  }

  /** Resolves when all watchers were told of these changes, at least. */
  async told(changes: readonly TraceChange[]): Promise<void> {
    for (const { name, told } of this.#open) {
      await expect
        .poll(() => told, { message: `${name} tells its watchers` })
        .toEqual(expect.arrayContaining([...changes]));
    }
  }

  /** Deletes everything. */
  async clear(): Promise<void> {
    await Promise.all(
      this.#open.map(async ({ store }) => {
        while ((await store.expire(Number.MAX_SAFE_INTEGER, 1_000)) > 0);
      }),
    );
  }
}

/** Starts the engines. Dispose of the stores when the tests are done. */
export async function makeStores(): Promise<Stores> {
  const directory = mkdtempSync(join(tmpdir(), "agate-same-answers-"));
  const engine = openChdbEngine();
  const server = await sharedPostgres();
  const address = await server.createDatabase();
  const onFailure = (error: Error) => {
    throw error;
  };
  // Compaction at once, of everything: it runs between and beside the steps.
  const compaction = { afterMs: 0, fromBytes: 1 };
  return new Stores(
    {
      SQLite: () => openSqliteStore({ directory, compactFromBytes: 1, quietMs: 0 }),
      PostgreSQL: () => openPostgresStore({ address, onFailure, compaction }),
      ClickHouse: () =>
        openClickHouseStore({ address: engine.address(), connect: engine.connect, onFailure }),
    },
    async () => {
      await engine.dispose();
      await rm(directory, { recursive: true });
    },
  );
}
