import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { CoalescedTask } from "../../coalesced-task.ts";
import type { ServerReport, ServerReports } from "../../registry/registry.ts";

export interface ServerReporterOptions {
  readonly reports: Pick<ServerReports, "write">;
  /** What this server runs now. */
  readonly current: () => readonly ServerReport[];
  readonly everyMs?: number;
  readonly onError: (error: unknown) => void;
}

/** A quarter of the time after which a report is stale. */
const EVERY_MS = 30_000;
/** A machine's name may be long. */
const LONGEST_HOSTNAME = 60;

/** Writes to the registry what this server runs: when it changes, every 30 s, and nothing after its end. */
export class ServerReporter {
  readonly #options: ServerReporterOptions;
  /** One machine may run several servers, and each of them anew. */
  readonly #serverId = `${hostname().slice(0, LONGEST_HOSTNAME)}-${randomBytes(2).toString("hex")}`;
  readonly #writing: CoalescedTask;
  #written = "[]";
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ServerReporterOptions) {
    this.#options = options;
    this.#writing = new CoalescedTask(() => this.#write());
  }

  start(): void {
    const { everyMs = EVERY_MS } = this.#options;
    this.#timer = setInterval(() => {
      this.#written = "";
      this.update();
    }, everyMs).unref();
    this.update();
  }

  /** To be called whenever something may have changed. */
  update(): void {
    // The registry may be away: the next report is as good as this one.
    if (!this.#isClosed) this.#writing.run().catch(this.#options.onError);
  }

  /** Removes what this server has reported. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#writing.idle();
    if (this.#timer === undefined) return;
    await this.#options.reports.write(this.#serverId, []).catch(this.#options.onError);
  }

  async #write(): Promise<void> {
    const reports = this.#isClosed ? [] : this.#options.current();
    const text = JSON.stringify(reports);
    if (text === this.#written) return;
    await this.#options.reports.write(this.#serverId, reports);
    this.#written = text;
  }
}
