/** Cancellable work. */
type Task = (signal: AbortSignal) => Promise<void>;

interface Entry {
  readonly key: string;
  readonly task: Task;
  readonly abort: AbortController;
}

/**
 * Runs a limited number of tasks concurrently, the others in order of arrival. A key has one task: adding
 * another under the same key aborts the previous one.
 *
 * @example queue.add("1:2", (signal) => callRoute(…, signal)); queue.stop("1:2");
 */
export class RunQueue {
  readonly #limit: number;
  readonly #waiting: Entry[] = [];
  readonly #running = new Map<string, Entry>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(key: string, task: Task): void {
    this.stop(key);
    this.#waiting.push({ key, task, abort: new AbortController() });
    this.#next();
  }

  /** Aborts the task, or removes it from the queue. False if there is none. */
  stop(key: string): boolean {
    const waiting = this.#waiting.findIndex((entry) => entry.key === key);
    if (waiting !== -1) this.#waiting.splice(waiting, 1);
    const running = this.#running.get(key);
    if (running !== undefined) {
      // Frees the slot now: a task that ignores its signal must not block the others.
      this.#running.delete(key);
      running.abort.abort();
      this.#next();
    }
    return waiting !== -1 || running !== undefined;
  }

  #next(): void {
    while (this.#running.size < this.#limit) {
      const entry = this.#waiting.shift();
      if (entry === undefined) return;
      this.#running.set(entry.key, entry);
      const end = () => {
        if (this.#running.get(entry.key) !== entry) return;
        this.#running.delete(entry.key);
        this.#next();
      };
      entry.task(entry.abort.signal).then(end, end);
    }
  }
}
