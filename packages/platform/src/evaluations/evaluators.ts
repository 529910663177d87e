import type { DeclaredEvaluation } from "@agate/protocol/evaluator";

/** The code that an evaluator process runs. */
export interface EvaluatedBuild {
  /** The project's id. */
  readonly project: string;
  readonly application: { readonly id: string; readonly slug: string };
  /** Null: the code that `agate dev` runs, which is no build. */
  readonly build: { readonly id: string; readonly number: number } | null;
}

export type DescribedEvaluations =
  /** None for a build without eval files. */
  | { readonly kind: "described"; readonly evaluations: readonly DeclaredEvaluation[] }
  /** The eval files could not be read: they threw at import, or the build cannot be started. */
  | EvaluatorFailure;

export interface EvaluatorFailure {
  readonly kind: "failed";
  /**
   * `no-room`: this server runs as many processes as it may. Another one, or this one later, can start it.
   * Without a cause, it is a fault of the build.
   */
  readonly cause?: "no-room" | undefined;
  /** What happened, for people: "It ended with code 1 before it answered." */
  readonly reason: string;
  /** The last lines of its output, oldest first, redacted. */
  readonly log: readonly string[];
}

/** A process that runs routes and scorers, on a private socket: see `EvaluatorClient`. */
export interface RunningEvaluator {
  readonly kind: "running";
  readonly socketPath: string;
  /** Resolves when the process has ended, for any reason. Never rejects. */
  readonly ended: Promise<EvaluatorEnd>;
  /** Sends SIGTERM, after which it sends its last spans, and SIGKILL after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export interface EvaluatorEnd {
  /** "It ended with code 1.", "It was killed by SIGSEGV." */
  readonly reason: string;
  /** The last lines of its output, oldest first, redacted. */
  readonly log: readonly string[];
}

export interface EvaluatorStart {
  /** The id of the run that it is for. `agate dev` starts all processes of a run from the same files. */
  readonly run?: string | undefined;
  /** Stops a start; one that runs already is stopped with {@link RunningEvaluator.stop}. */
  readonly signal: AbortSignal;
  /** Called with each line of output, redacted. */
  readonly onLine: (line: string) => void;
}

export type EvaluatedFile =
  | { readonly kind: "file"; readonly bytes: Uint8Array }
  /** The build has no such file. */
  | { readonly kind: "missing" };

/** Starts evaluator processes: of deployed builds, or of the code that `agate dev` runs. */
export interface Evaluators {
  /** The newest code of an application that has eval files; undefined where none has. */
  newest(
    application: Pick<EvaluatedBuild, "project" | "application">,
  ): Promise<EvaluatedBuild | undefined>;
  /** The evaluations that a build's eval files declare. Of a deployed build, read once and then stored. */
  describe(build: EvaluatedBuild, run?: string): Promise<DescribedEvaluations>;
  /**
   * Starts an evaluator process of a build, with the variables of an environment.
   *
   * @param environment Its slug or id.
   * @throws the signal's reason when it fires.
   */
  start(
    build: EvaluatedBuild,
    environment: string,
    options: EvaluatorStart,
  ): Promise<RunningEvaluator | EvaluatorFailure>;
  /** A file of the build, such as the test set `./cases.jsonl`. @param path Relative to `package.json`. */
  readFile(build: EvaluatedBuild, path: string): Promise<EvaluatedFile>;
}
