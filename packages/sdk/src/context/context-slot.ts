import { asyncSnapshot, createAsyncLocal, refuseOldNode } from "../runtime/async-local-storage.ts";

interface Entry {
  readonly value: unknown;
  /** What the slot held before, for when this entry is closed. */
  outer: Entry | undefined;
  closed: boolean;
}

type Frame = Readonly<Record<symbol, Entry | undefined>>;

// Here, because every part of the SDK but the client needs this module: bundlers leave out statements of
// modules that only pass names on, such as index.ts.
refuseOldNode();

const EMPTY: Frame = {};
const frames = createAsyncLocal<Frame>() ?? createSyncLocal<Frame>();
/** When the SDK is loaded, no call is running: neither ours nor one that another library follows. */
const atLoad = asyncSnapshot();

/**
 * A value of the code that is running now, and of what it starts: concurrent calls never
 * see each other's. Where the runtime has no `AsyncLocalStorage`, it lasts until the first `await`.
 *
 * @example
 * const user = new ContextSlot<string>("user");
 * user.run("ada", () => user.get()); // "ada"
 */
export class ContextSlot<T> {
  readonly #key: symbol;

  constructor(name: string) {
    this.#key = Symbol(name);
  }

  get(): T | undefined {
    let entry = frames.getStore()?.[this.#key];
    // A block that was left may still be the frame of what it called without awaiting it.
    while (entry?.closed) entry = entry.outer;
    return entry?.value as T | undefined;
  }

  run<R>(value: T, callback: () => R): R {
    return frames.run(this.#frameWith(value).frame, callback);
  }

  /** Sets the value until the returned function is called: for `using` declarations. */
  enter(value: T): () => void {
    const before = frames.getStore() ?? EMPTY;
    const { frame, entry } = this.#frameWith(value);
    enterFrame(frame);
    return () => {
      entry.closed = true;
      // Only when nothing else was entered meanwhile: the others are closed in their own turn.
      if (frames.getStore() === frame) enterFrame(before);
    };
  }

  /** One of the values of {@link contextWith}. */
  holding(value: T): Held {
    return { key: this.#key, value, outer: undefined, closed: false };
  }

  #frameWith(value: T): { frame: Frame; entry: Entry } {
    const current = frames.getStore() ?? EMPTY;
    const entry: Entry = { value, outer: current[this.#key], closed: false };
    return { frame: { ...current, [this.#key]: entry }, entry };
  }
}

/** A slot and what it is to hold, for one use: it becomes the slot's entry. */
export interface Held extends Entry {
  readonly key: symbol;
}

/**
 * What every slot holds now, and some of them something else: the returned function runs work with
 * exactly that, as often as it is called. One step instead of a `run` for each slot.
 */
export function contextWith(...held: readonly Held[]): <R>(work: () => R) => R {
  const outer = frames.getStore() ?? EMPTY;
  const frame: Record<symbol, Entry | undefined> = { ...outer };
  for (const entry of held) {
    entry.outer = outer[entry.key];
    frame[entry.key] = entry;
  }
  return (work) => frames.run(frame, work);
}

/**
 * Remembers what every slot holds now; the returned function runs work with exactly that, wherever
 * it is called: for work that outlives its caller, as a generator's body does.
 *
 * @example
 * const here = captureContext();
 * setTimeout(() => here(() => user.get()), 1000);
 */
export function captureContext(): <R>(work: () => R) => R {
  const frame = frames.getStore() ?? EMPTY;
  return (work) => frames.run(frame, work);
}

/**
 * Runs work outside every call: every slot is empty in it, and other libraries take it for no
 * part of a call either.
 */
export function outsideContext<R>(work: () => R): R {
  return atLoad(() => frames.run(EMPTY, work));
}

/** Cloudflare Workers have `AsyncLocalStorage` without a working `enterWith`. */
function enterFrame(frame: Frame): void {
  try {
    frames.enterWith(frame);
  } catch (cause) {
    throw new Error(
      "This runtime cannot hold a context until the end of a block, so `using` does not work here: pass a callback instead, as in ag.span(name, () => …).",
      { cause },
    );
  }
}

/** Stands in where the runtime has no `AsyncLocalStorage`: right for code that does not await. */
function createSyncLocal<T>() {
  let current: T | undefined;
  return {
    getStore: () => current,
    run<R>(store: T, callback: () => R): R {
      const before = current;
      current = store;
      try {
        return callback();
      } finally {
        current = before;
      }
    },
    // After an `await` the next request would find it.
    enterWith(_store: T): void {
      throw new Error("This runtime has no AsyncLocalStorage.");
    },
  };
}
