import { createContext, useContext } from "react";
import {
  type BoardEntry,
  boardsToDelete,
  fitBoard,
  KEPT_LIMITS,
  type KeptCell,
  type KeptLimits,
} from "./kept-limits.ts";
import { sizeOf } from "./packed-run.ts";
import { clearUnsaved, putUnsaved, readUnsaved, removeUnsaved } from "./unsaved-runs.ts";

const DATABASE = "agate-playground";
const VERSION = 1;
/** Boards without their runs. */
const BOARDS = "boards";
const RUNS = "runs";
const BY_PLACE = "by-place";
const TAB_KEY = "agate-playground:tab";
/** Limits the list, because closed tabs are never removed. */
const MOST_TABS = 8;

interface Board extends BoardEntry {
  /** Its columns and cases, as {@link workspaceText}. */
  readonly workspace: string;
  /** The tabs that show it, closed ones included. */
  readonly tabs: readonly string[];
}

interface BoardRuns {
  readonly id: string;
  readonly cells: readonly KeptCell[];
}

/**
 * Saves the outputs of the playground in IndexedDB, by route and workspace: tabs with different columns or
 * cases do not overwrite each other's outputs. Without IndexedDB, outputs last until the page is closed.
 */
export class KeptRuns {
  readonly #limits: KeptLimits;
  #database: Promise<IDBDatabase> | undefined;
  #session = 0;

  constructor(limits: KeptLimits = KEPT_LIMITS) {
    this.#limits = limits;
  }

  /** The outputs of one route. The next {@link clear} disconnects it. */
  open(place: string): KeptBoard {
    const session = this.#session;
    const run = async <T>(work: (stores: Stores) => Promise<T>): Promise<T | undefined> => {
      try {
        const database = await this.#open();
        // Signed out in the meantime: the next user of this browser must not see this write.
        if (session !== this.#session) return undefined;
        return await inTransaction(database, work);
      } catch {
        // IndexedDB is blocked or full: the outputs on the page are not affected.
        return undefined;
      }
    };
    return new KeptBoard(place, this.#limits, run, () => session === this.#session);
  }

  /** Deletes the outputs of all projects, for the next user of this browser. */
  async clear(): Promise<void> {
    this.#session += 1;
    clearUnsaved();
    const database = await this.#open().catch(() => null);
    if (database === null) return;
    await inTransaction(database, async ({ boards, runs }) => {
      await Promise.all([done(boards.clear()), done(runs.clear())]);
    });
  }

  #open(): Promise<IDBDatabase> {
    this.#database ??= openDatabase();
    return this.#database;
  }
}

interface Stores {
  readonly boards: IDBObjectStore;
  readonly runs: IDBObjectStore;
}

/** Undefined if nothing can be stored. */
type RunWork = <T>(work: (stores: Stores) => Promise<T>) => Promise<T | undefined>;

export class KeptBoard {
  readonly #place: string;
  readonly #limits: KeptLimits;
  readonly #run: RunWork;
  readonly #isConnected: () => boolean;
  readonly #tab = tabName();
  #saved: string | undefined;

  constructor(place: string, limits: KeptLimits, run: RunWork, isConnected: () => boolean) {
    this.#place = place;
    this.#limits = limits;
    this.#run = run;
    this.#isConnected = isConnected;
  }

  /** Undefined if the database cannot be read. */
  load(workspace: string): Promise<readonly KeptCell[] | undefined> {
    return this.#run(async ({ boards, runs }) => {
      const left = readUnsaved(this.#place);
      const unsaved = left?.workspace === workspace ? left : null;
      const found = await this.#find(boards, workspace);
      if (found === undefined) return unsaved?.cells ?? [];
      this.#saved = found.id;
      await done(boards.put({ ...found, tabs: this.#with(found) }));
      // Another tab may have saved newer outputs.
      if (unsaved !== null && unsaved.savedAt >= found.savedAt) return unsaved.cells;
      return ((await done(runs.get(found.id))) as BoardRuns | undefined)?.cells ?? [];
    });
  }

  /** Leaves outputs to the page that this tab loads next, because a save would be aborted. */
  leave(workspace: string, all: readonly KeptCell[]): void {
    if (!this.#isConnected()) return;
    const cells = fitBoard(all, this.#limits);
    putUnsaved(this.#place, { workspace, cells, savedAt: Date.now() });
  }

  /**
   * Replaces what this tab saved before, also under the columns and cases before an edit. Resolves with
   * whether it was saved.
   */
  async save(workspace: string, all: readonly KeptCell[]): Promise<boolean> {
    const cells = fitBoard(all, this.#limits);
    const savedAt = Date.now();
    const isSaved = await this.#run(async ({ boards, runs }) => {
      const remove = (id: string) => Promise.all([done(boards.delete(id)), done(runs.delete(id))]);
      const found = await this.#find(boards, workspace);
      const id = found?.id ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
      if (this.#saved !== undefined && this.#saved !== id) {
        const before = (await done(boards.get(this.#saved))) as Board | undefined;
        const tabs = before?.tabs.filter((tab) => tab !== this.#tab) ?? [];
        // Another tab still shows it and would lose it on reload.
        if (before !== undefined && tabs.length > 0) await done(boards.put({ ...before, tabs }));
        else await remove(this.#saved);
      }
      this.#saved = id;
      if (cells.length === 0) {
        await remove(id);
        return true;
      }
      const size = cells.reduce((sum, { run }) => sum + sizeOf(run), 0);
      const [place, tabs] = [this.#place, this.#with(found)];
      const board: Board = { id, place, workspace, tabs, savedAt, size };
      await done(boards.put(board));
      await done(runs.put({ id, cells } satisfies BoardRuns));
      const entries = (await done(boards.getAll())) as Board[];
      for (const each of boardsToDelete(entries, id, this.#limits)) await remove(each);
      return true;
    });
    if (isSaved) removeUnsaved(this.#place, savedAt);
    return isSaved ?? false;
  }

  #with(board: Board | undefined): readonly string[] {
    const others = board?.tabs.filter((tab) => tab !== this.#tab) ?? [];
    return [...others, this.#tab].slice(-MOST_TABS);
  }

  async #find(boards: IDBObjectStore, workspace: string): Promise<Board | undefined> {
    const here = (await done(boards.index(BY_PLACE).getAll(this.#place))) as Board[];
    return here.find((board) => board.workspace === workspace);
  }
}

/** Identifies this tab, also after a reload. */
function tabName(): string {
  const name = sessionStorage.getItem(TAB_KEY) ?? Math.random().toString(36).slice(2);
  sessionStorage.setItem(TAB_KEY, name);
  return name;
}

async function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, VERSION);
  request.onupgradeneeded = () => {
    const { result } = request;
    for (const name of result.objectStoreNames) result.deleteObjectStore(name);
    result.createObjectStore(BOARDS, { keyPath: "id" }).createIndex(BY_PLACE, "place");
    result.createObjectStore(RUNS, { keyPath: "id" });
  };
  const database = await done(request);
  // An upgrade by a newer page in another tab would otherwise be blocked.
  database.onversionchange = () => database.close();
  return database;
}

/** Resolves after the commit. The work may await its own requests only, or IndexedDB ends the transaction. */
async function inTransaction<T>(
  database: IDBDatabase,
  work: (stores: Stores) => Promise<T>,
): Promise<T> {
  const transaction = database.transaction([BOARDS, RUNS], "readwrite");
  const { promise: committed, resolve, reject } = Promise.withResolvers<void>();
  transaction.oncomplete = () => resolve();
  transaction.onabort = () => reject(transaction.error);
  const stores = { boards: transaction.objectStore(BOARDS), runs: transaction.objectStore(RUNS) };
  const [result] = await Promise.all([work(stores), committed]);
  return result;
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
  return promise;
}

const KeptRunsContext = createContext<KeptRuns | null>(null);

export const KeptRunsProvider = KeptRunsContext.Provider;

/** The saved outputs. */
export function useKeptRuns(): KeptRuns {
  const kept = useContext(KeptRunsContext);
  if (kept === null) throw new Error("useKeptRuns is used outside of KeptRunsProvider.");
  return kept;
}
