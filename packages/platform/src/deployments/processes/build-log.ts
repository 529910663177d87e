import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { LogLine } from "@agate/protocol";
import { namesIn } from "../builds/folder-contents.ts";
import type { LogRequest } from "../deployer.ts";
import { isWanted, LogFiles, type LogFilter } from "./log-files.ts";

/** Lines that may wait for a slow reader. */
const MOST_WAITING_LINES = 10_000;

/** One reader of new lines. Its buffer is bounded: a slow reader misses lines, and gets their number. */
class LogFollower {
  readonly #filter: LogFilter;
  readonly #signal: AbortSignal;
  #waiting: LogLine[] = [];
  #missed = 0;
  #isEnded = false;
  #wake = () => {};

  constructor(filter: LogFilter, signal: AbortSignal) {
    this.#filter = filter;
    this.#signal = signal;
  }

  push(line: LogLine): void {
    if (!isWanted(line, this.#filter)) return;
    if (this.#waiting.length < MOST_WAITING_LINES) this.#waiting.push(line);
    else this.#missed++;
    this.#wake();
  }

  /** Ends the reader after the lines that wait. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *lines(): AsyncGenerator<LogLine, void, undefined> {
    const onAbort = () => this.#wake();
    this.#signal.addEventListener("abort", onAbort);
    try {
      while (!this.#signal.aborted) {
        const lines = this.#take();
        yield* lines;
        if (lines.length > 0) continue;
        if (this.#isEnded) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.#signal.removeEventListener("abort", onAbort);
    }
  }

  #take(): readonly LogLine[] {
    const lines = this.#waiting;
    this.#waiting = [];
    const last = lines.at(-1);
    if (last === undefined || this.#missed === 0) return lines;
    const line = `${this.#missed} lines are missing here: they came faster than they were read.`;
    this.#missed = 0;
    return [...lines, { ...last, stream: "platform", line }];
  }
}

/** Characters that may wait for the disk; further lines are dropped and counted. */
const MOST_WAITING = 4 * 1024 * 1024;
/** The pause after a failed write, as long as the disk is full. */
const RETRY_MS = 1_000;

/**
 * The output of an application's builds, on disk and bounded. A build never waits for the disk: where
 * it is full or too slow, lines are lost, and the log says how many.
 */
export class BuildLog {
  readonly #files: LogFiles;
  readonly #followers = new Set<LogFollower>();
  /** Lines that are not on disk yet, as text. */
  #waiting: string[] = [];
  #waitingSize = 0;
  #lost = 0;
  #last: Pick<LogLine, "build" | "environment"> = { build: 0, environment: null };
  /** Reads and writes run one after the other, so that a reader sees every line once. */
  #lastTask: Promise<void> = Promise.resolve();
  #isWriting = false;
  #retry: NodeJS.Timeout | undefined;

  /** @param folder The application's own; it is made when the first line comes. */
  constructor(folder: string) {
    this.#files = new LogFiles(folder);
  }

  /** @param added Its time, where it is given, is not before that of the line before it. */
  add(added: Omit<LogLine, "time"> & Partial<Pick<LogLine, "time">>): void {
    const { time = new Date().toISOString(), build, environment, stream, line } = added;
    this.#last = { build, environment };
    const entry: LogLine = { time, build, environment, stream, line };
    for (const follower of this.#followers) follower.push(entry);
    const text = `${JSON.stringify(entry)}\n`;
    if (this.#waitingSize + text.length > MOST_WAITING) {
      this.#lost++;
      return;
    }
    this.#waiting.push(text);
    this.#waitingSize += text.length;
    this.#write();
  }

  /** See `Deployer.logs`. */
  async *read(request: LogRequest): AsyncGenerator<LogLine, void, undefined> {
    const { tail, follow, signal } = request;
    const follower = new LogFollower(request, signal);
    const last = await this.#serially(async () => {
      // From here on nothing is written until the files are read: what waits is in neither.
      if (follow) this.#followers.add(follower);
      const waiting = this.#waiting.join("");
      return this.#files.tail(tail, request, waiting);
    });
    try {
      yield* last;
      if (follow) yield* follower.lines();
    } finally {
      this.#followers.delete(follower);
    }
  }

  /** Writes the waiting lines, if the disk takes them, and ends readers that follow. */
  async close(): Promise<void> {
    clearTimeout(this.#retry);
    for (const follower of this.#followers) follower.end();
    await this.#serially(() => this.#writeWaiting());
    await this.#files.close();
  }

  #write(): void {
    if (this.#isWriting || this.#retry !== undefined) return;
    this.#isWriting = true;
    void this.#serially(async () => {
      await this.#writeWaiting();
      this.#isWriting = false;
      if (this.#waiting.length > 0) this.#write();
    });
  }

  async #writeWaiting(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const lost = this.#lost;
    const lines = lost === 0 ? this.#waiting : [this.#gap(lost), ...this.#waiting];
    const count = this.#waiting.length;
    this.#waiting = [];
    this.#waitingSize = 0;
    try {
      await this.#files.append(lines.join(""));
      this.#lost -= lost;
    } catch {
      // Most likely the disk is full. The lost lines are counted, and the next write reports their number.
      this.#lost += count;
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.#write();
      }, RETRY_MS).unref();
    }
  }

  #gap(lost: number): string {
    const entry: LogLine = {
      time: new Date().toISOString(),
      ...this.#last,
      stream: "platform",
      line: `${lost} lines are missing here: the disk was full or too slow.`,
    };
    return `${JSON.stringify(entry)}\n`;
  }

  #serially<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#lastTask.then(task);
    this.#lastTask = result.then(
      () => {},
      () => {},
    );
    return result;
  }
}

/** The logs of all applications, a folder each, named after the application's id. */
export class BuildLogs {
  readonly #folder: string;
  readonly #logs = new Map<string, BuildLog>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  of(applicationId: string): BuildLog {
    const known = this.#logs.get(applicationId);
    if (known !== undefined) return known;
    const log = new BuildLog(join(this.#folder, applicationId));
    this.#logs.set(applicationId, log);
    return log;
  }

  /**
   * Removes the logs of applications that are gone.
   *
   * @param kept Asked once it is known what is there: what comes later is not removed.
   */
  async sweep(kept: () => Promise<ReadonlySet<string>>): Promise<void> {
    const names = await namesIn(this.#folder);
    const ids = await kept();
    for (const name of names) {
      if (ids.has(name)) continue;
      await this.#logs.get(name)?.close();
      this.#logs.delete(name);
      await rm(join(this.#folder, name), { recursive: true, force: true });
    }
  }

  /** Ends readers that follow. */
  async close(): Promise<void> {
    await Promise.all([...this.#logs.values()].map((log) => log.close()));
  }
}
