import {
  batchesOf,
  type ColumnRole,
  type ItemResult,
  type RunCase,
  type RunEnd,
  resultBody,
  stopReason,
} from "@agate/platform/evaluations";
import {
  MOST_RUN_BATCH,
  type NewRun,
  type NewRunCase,
  type NewRunResult,
  type Run,
} from "@agate/protocol";
import { type ApiClient, type ApiPath, apiPath } from "../api-client/api-client.ts";
import { ApiFailure } from "../api-client/api-failure.ts";

export interface RunReporterOptions {
  readonly api: Pick<ApiClient, "send">;
  readonly run: NewRun & { readonly id: string };
  readonly cases: readonly RunCase[];
  /** Columns whose traces the platform has. */
  readonly traced: ReadonlySet<ColumnRole>;
  /** Told once when the platform cannot be reached while the run goes on. */
  readonly onAway: (failure: ApiFailure) => void;
  readonly wait: (milliseconds: number) => Promise<void>;
}

export type ReportOutcome =
  /** It has all that there is; `run` as it is there now. */
  | { readonly kind: "reported"; readonly run: Run }
  | { readonly kind: "unsent"; readonly failure: ApiFailure }
  /** The run was ended there by another client. */
  | { readonly kind: "ended"; readonly run: Run };

/** Pauses before a request is sent again, in milliseconds. */
export const RETRY_PAUSES: readonly number[] = [250, 1_000, 2_000];
/** Results that wait to be sent. Beyond it they are read from the kept run at its end. */
export const MOST_WAITING = 2_000;
/** Well below the 16 MiB that a platform takes by default, even where each character is 3 bytes. */
const BATCH = { items: MOST_RUN_BATCH, size: 4 * 1024 * 1024 };

/**
 * Reports a run to the platform while it goes on. Nothing waits for it but its end: a platform that is
 * away falls behind, and gets everything from the kept run at the end. Every request can be sent
 * again, as the platform keeps the first result of an item.
 */
export class RunReporter {
  readonly #options: RunReporterOptions;
  #waiting: NewRunResult[] = [];
  /** Whether results were left out that only the kept run has. */
  #isBehind = false;
  #failure: ApiFailure | undefined;
  #opened: Run | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: RunReporterOptions) {
    this.#options = options;
    this.#send();
  }

  add(result: ItemResult): void {
    if (this.#isBehind) return;
    if (this.#waiting.length === MOST_WAITING) {
      this.#fallBehind();
      return;
    }
    this.#waiting.push(this.#bodyOf(result));
    this.#send();
  }

  /** @param results All of the run, from where it is kept. */
  async end(end: RunEnd, results: () => Iterable<ItemResult>): Promise<ReportOutcome> {
    await this.#sending;
    try {
      if (this.#failure !== undefined && !isTransient(this.#failure)) throw this.#failure;
      // An interrupted run must end at once: what is missing is sent when it is resumed.
      if (this.#failure !== undefined && end === "interrupted") throw this.#failure;
      const run = await this.#open();
      if (run.status !== "running") return outcomeOf(run);
      await this.#sendResults(this.#isBehind ? this.#bodiesOf(results()) : this.#waiting.splice(0));
      if (end === "interrupted") return { kind: "reported", run };
      return { kind: "reported", run: await this.#close(end) };
    } catch (error) {
      if (error instanceof ApiFailure) return { kind: "unsent", failure: error };
      throw error;
    }
  }

  #send(): void {
    this.#sending ??= this.#sendWaiting().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendWaiting(): Promise<void> {
    try {
      const run = await this.#open();
      if (run.status !== "running") return this.#fallBehind();
      while (this.#waiting.length > 0) await this.#sendResults(this.#waiting.splice(0));
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      this.#failure = error;
      this.#fallBehind();
      this.#options.onAway(error);
    }
  }

  #fallBehind(): void {
    this.#isBehind = true;
    this.#waiting = [];
  }

  /** Creates the run with its cases, once. */
  async #open(): Promise<Run> {
    if (this.#opened !== undefined) return this.#opened;
    const { run, cases } = this.#options;
    const created = await this.#post<Run>(apiPath`/registry/runs`, run);
    if (created.status === "running") {
      const path = apiPath`/registry/runs/${run.id}/cases`;
      for (const batch of batchesOf(cases.map(caseBody), BATCH)) {
        await this.#post(path, { cases: batch });
      }
    }
    this.#opened = created;
    return created;
  }

  async #sendResults(results: Iterable<NewRunResult>): Promise<void> {
    const path = apiPath`/registry/runs/${this.#options.run.id}/results`;
    for (const batch of batchesOf(results, BATCH)) await this.#post(path, { results: batch });
  }

  #bodyOf(result: ItemResult): NewRunResult {
    const isTraced = this.#options.traced.has(result.column);
    return resultBody(isTraced ? result : { ...result, trace_id: null, span_id: null });
  }

  *#bodiesOf(results: Iterable<ItemResult>): Generator<NewRunResult> {
    for (const result of results) yield this.#bodyOf(result);
  }

  #close(end: Exclude<RunEnd, "interrupted">): Promise<Run> {
    const { id } = this.#options.run;
    if (end === "finished") return this.#post(apiPath`/registry/runs/${id}/finish`);
    const reason = stopReason(end.stopped);
    return this.#post(apiPath`/registry/runs/${id}/stop`, { reason });
  }

  async #post<Value>(path: ApiPath, body?: unknown): Promise<Value> {
    for (const pause of RETRY_PAUSES) {
      try {
        return (await this.#options.api.send<Value>("POST", path, body)).value;
      } catch (error) {
        if (!(error instanceof ApiFailure) || !isTransient(error)) throw error;
        await this.#options.wait(pause);
      }
    }
    return (await this.#options.api.send<Value>("POST", path, body)).value;
  }
}

function outcomeOf(run: Run): ReportOutcome {
  return { kind: run.status === "finished" ? "reported" : "ended", run };
}

function caseBody({ id, inputs, expected, metadata }: RunCase): NewRunCase {
  return { id, inputs, expected, metadata };
}

/** The platform is down, overloaded or starting. */
function isTransient({ why }: ApiFailure): boolean {
  if (why.kind === "not-agate") return why.status >= 500;
  return why.kind !== "refused" || why.status >= 500 || why.status === 429;
}
