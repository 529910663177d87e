import type { LogLine } from "@agate/protocol";
import type { LogRequest } from "../deployer.ts";
import { LogFiles } from "./log-files.ts";
import { LogFollower } from "./log-follower.ts";

/** Text that waits for the disk, in characters; what comes on top of it is lost and counted. */
const MOST_WAITING = 4 * 1024 * 1024;
/** After a write that failed, so that a full disk is not asked all the time. */
const RETRY_MS = 1_000;

/**
 * The output of an application's builds, on disk and bounded. Nobody ever waits for the disk: where
 * it is full or too slow, lines are lost, and the log says how many.
 */
export class BuildLog {
  readonly #files: LogFiles;
  readonly #followers = new Set<LogFollower>();
  /** Lines that are not on disk yet, as text. */
  #waiting: string[] = [];
  #waitingSize = 0;
  #lost = 0;
  #lastBuild = 0;
  /** Reading and writing take turns, so that a reader sees every line once. */
  #turn: Promise<void> = Promise.resolve();
  #isWriting = false;
  #retry: NodeJS.Timeout | undefined;

  /** @param folder The application's own; it is made when the first line comes. */
  constructor(folder: string) {
    this.#files = new LogFiles(folder);
  }

  /** @param time When the line was printed: not before that of the line before it. */
  add(
    build: number,
    stream: LogLine["stream"],
    line: string,
    time = new Date().toISOString(),
  ): void {
    this.#lastBuild = build;
    const entry: LogLine = { time, build, stream, line };
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

  /** As `Deployer.logs` says. */
  async *read(request: LogRequest): AsyncGenerator<LogLine, void, undefined> {
    const { build, tail, follow, signal } = request;
    const follower = new LogFollower(build, signal);
    const last = await this.#inTurn(async () => {
      // From here on nothing is written until the files are read: what waits is in neither.
      if (follow) this.#followers.add(follower);
      const waiting = this.#waiting.join("");
      return this.#files.tail(tail, build, waiting);
    });
    try {
      yield* last;
      if (follow) yield* follower.lines();
    } finally {
      this.#followers.delete(follower);
    }
  }

  /** Writes what still waits, if the disk takes it. Readers that follow are through. */
  async close(): Promise<void> {
    clearTimeout(this.#retry);
    for (const follower of this.#followers) follower.end();
    await this.#inTurn(() => this.#writeWaiting());
    await this.#files.close();
  }

  #write(): void {
    if (this.#isWriting || this.#retry !== undefined) return;
    this.#isWriting = true;
    void this.#inTurn(async () => {
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
      // Most likely the disk is full. These lines are counted, and the next that can be written says so.
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
      build: this.#lastBuild,
      stream: "platform",
      line: `${lost} lines are missing here: the disk was full or too slow.`,
    };
    return `${JSON.stringify(entry)}\n`;
  }

  #inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(task);
    this.#turn = result.then(
      () => {},
      () => {},
    );
    return result;
  }
}
