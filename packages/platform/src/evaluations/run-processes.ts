import type { RunColumn } from "@agate/protocol";
import { EvaluatorClient, EvaluatorGone } from "./evaluator-client.ts";
import type {
  EvaluatedBuild,
  EvaluatorEnd,
  EvaluatorFailure,
  Evaluators,
  RunningEvaluator,
} from "./evaluators.ts";

/** How often an evaluator process that crashed is started again. */
export const MOST_RESTARTS = 3;
/** How long a process may take to send its last spans. */
const GRACE_MS = 10_000;
/** A connection that broke and a process that ended are told apart by waiting this long. */
const ENDED_WITHIN_MS = 2_000;
/** Lines of output that a reason has at most. */
export const MOST_LINES = 20;

export interface RunProcessesOptions {
  readonly evaluators: Pick<Evaluators, "start">;
  readonly application: Pick<EvaluatedBuild, "project" | "application">;
  /** Whose variables the processes get. */
  readonly environment: string;
  /** The id of the run. */
  readonly run: string;
  /** Breaks off calls and starts. */
  readonly signal: AbortSignal;
}

/** An evaluator process could not be started, or crashed too often. The message is for people. */
export class EvaluatorFailed extends Error {
  override readonly name = "EvaluatorFailed";
}

/** This server runs as many processes as it may. Others may have room for the run, or this one later. */
export class NoRoomHere extends Error {
  override readonly name = "NoRoomHere";
}

interface ClientOfProcess {
  readonly client: EvaluatorClient;
  readonly process: RunningEvaluator;
}

type Build = RunColumn["build"];

/** The evaluator processes of a run on one server: one for each build, started again after a crash. */
export class RunProcesses implements AsyncDisposable {
  readonly #options: RunProcessesOptions;
  readonly #started = new Map<string, Promise<ClientOfProcess>>();
  readonly #restarts = new Map<string, number>();

  constructor(options: RunProcessesOptions) {
    this.#options = options;
  }

  /**
   * Works with the process of a build. Work that a crash broke off is done again, by the next process.
   *
   * @throws EvaluatorFailed or NoRoomHere where there is none.
   */
  async use<T>(build: Build, work: (client: EvaluatorClient) => Promise<T>): Promise<T> {
    for (let attempts = 0; ; attempts += 1) {
      const used = await this.#of(build);
      try {
        return await work(used.client);
      } catch (error) {
        if (!(error instanceof EvaluatorGone) || this.#options.signal.aborted) throw error;
        const end = await endWithin(used.process, ENDED_WITHIN_MS);
        if (end !== undefined) this.#crashed(build, used, end);
        else if (attempts === MOST_RESTARTS) throw error;
      }
    }
  }

  /** Starts those of several builds at once. @throws as {@link use} where one cannot be started. */
  async start(builds: readonly Build[]): Promise<void> {
    await Promise.all(builds.map((build) => this.#of(build)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = await Promise.allSettled(this.#started.values());
    await Promise.all(
      all.map(async (each) => {
        if (each.status === "rejected") return;
        each.value.client[Symbol.dispose]();
        await each.value.process.stop(GRACE_MS);
      }),
    );
  }

  #of(build: Build): Promise<ClientOfProcess> {
    const id = build?.id ?? "";
    const started = this.#started.get(id) ?? this.#start(build);
    this.#started.set(id, started);
    return started;
  }

  async #start(build: Build): Promise<ClientOfProcess> {
    const { evaluators, application, environment, run, signal } = this.#options;
    const started = await evaluators.start({ ...application, build }, environment, {
      run,
      signal,
      onLine: () => {},
    });
    if (started.kind === "failed") {
      if (started.cause === "no-room") throw new NoRoomHere(started.reason);
      throw new EvaluatorFailed(withLines(`${shown(build)} can't be started.`, started));
    }
    return { client: new EvaluatorClient(started.socketPath, signal), process: started };
  }

  /** Told by every call that the crash broke off, for one of which it counts. */
  #crashed(build: Build, used: ClientOfProcess, end: EvaluatorEnd): void {
    const id = build?.id ?? "";
    const restarts = this.#restarts.get(id) ?? 0;
    const current = this.#started.get(id);
    const isCurrent = this.#ended.has(used) === false;
    if (!isCurrent || current === undefined) return;
    this.#ended.add(used);
    used.client[Symbol.dispose]();
    if (restarts === MOST_RESTARTS) {
      const failed = Promise.reject(
        new EvaluatorFailed(withLines(`${shown(build)} ended ${restarts + 1} times.`, end)),
      );
      failed.catch(() => {});
      this.#started.set(id, failed);
      return;
    }
    this.#restarts.set(id, restarts + 1);
    this.#started.set(id, this.#start(build));
  }

  readonly #ended = new WeakSet<ClientOfProcess>();
}

async function endWithin(
  { ended }: RunningEvaluator,
  milliseconds: number,
): Promise<EvaluatorEnd | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), milliseconds);
  try {
    return await Promise.race([ended, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function shown(build: Build): string {
  return build === null
    ? "The evaluator process"
    : `The evaluator process of build ${build.number}`;
}

function withLines(sentence: string, { reason, log }: EvaluatorFailure | EvaluatorEnd): string {
  return [`${sentence} ${reason}`, ...log.slice(-MOST_LINES)].join("\n");
}
