import type { DeployResult, DeployStep, EnvironmentVariables, LogLine } from "@agate/protocol";
import type { Evaluators } from "../evaluations/evaluators.ts";
import type { AcceptedChange, ChangeRequest } from "../registry/deployment-change.ts";
import type { ApplicationRef } from "../registry/registry.ts";
import type { RegistryProblem } from "../registry/registry-outcome.ts";
import type { VariablesChange } from "../registry/variables-change.ts";

/** A build to deploy. */
export interface DeployRequest {
  /** The project's id. */
  readonly project: string;
  /** The application's slug; created if it does not exist. */
  readonly application: string;
  /** A gzipped tar of the build's folder: see docs/reference/build-archive.md. */
  readonly archive: Uint8Array;
  /** The git commit that it was packed from; null where that is not known. */
  readonly commit: string | null;
  readonly by: string;
  readonly message: string;
  /** Slug or id of the environment that it goes live in. */
  readonly environment: string;
  /** Null keeps the revision that is live there. */
  readonly config: { readonly variant: string; readonly revision: number | null } | null;
  readonly accepts: AcceptedChange;
}

/** Reasons to refuse a deploy, beside the registry's. Each is an error type of the API. */
export type DeployProblemType = "archive_invalid" | "install_failed" | "build_unusable" | "no_room";

export interface DeployProblem {
  readonly type: DeployProblemType | RegistryProblem["type"];
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

export type DeployOutcome =
  | { readonly kind: "deployed"; readonly result: DeployResult }
  | Undeployed;

/** Nothing was deployed: the previous build keeps serving. */
export type Undeployed =
  | {
      readonly kind: "refused";
      readonly problems: readonly [DeployProblem, ...DeployProblem[]];
      /** The last output of the build, or of npm. */
      readonly log: readonly string[];
    }
  /** A transient failure, such as a full disk. Nothing was changed. */
  | { readonly kind: "unavailable"; readonly reason: string }
  /** The platform is stopping. Nothing was changed. */
  | { readonly kind: "stopping" };

export type TakeDownOutcome = { readonly kind: "taken-down" } | Undeployed;

export type VariablesOutcome =
  | { readonly kind: "changed"; readonly variables: EnvironmentVariables }
  | Undeployed;

export interface DeployProgress {
  begun(step: DeployStep, detail: string): void;
  done(step: DeployStep, detail: string): void;
}

/** Changes what is live in environments. Changes of one environment run one after the other. */
export interface Deployer {
  deploy(request: DeployRequest, progress: DeployProgress): Promise<DeployOutcome>;
  /** Makes what is known already live: another build, another revision, or both. */
  change(
    ref: ApplicationRef,
    request: ChangeRequest,
    progress: DeployProgress,
  ): Promise<DeployOutcome>;
  /** Ends what is live in an environment: it answers with 404 afterwards. */
  takeDown(ref: ApplicationRef, environment: string): Promise<TakeDownOutcome>;
  /**
   * Sets and unsets variables of an environment. Its live build is restarted with them; if it cannot be,
   * nothing is changed.
   */
  changeVariables(
    ref: ApplicationRef,
    environment: string,
    change: VariablesChange,
    by: string,
  ): Promise<VariablesOutcome>;
  /**
   * The archive of a build, by its id; undefined where its files are no longer kept. Each call of what it
   * gives packs the files anew, while they are read.
   */
  archive(
    buildId: string,
  ): Promise<((signal: AbortSignal) => AsyncIterable<Uint8Array>) | undefined>;
  /** The lines of an application's builds, newest last. */
  logs(applicationId: string, options: LogRequest): AsyncIterable<LogLine>;
}

/** A deployer with its running builds. */
export interface RunningDeployer extends Deployer {
  /** Starts evaluator processes of deployed builds. */
  readonly evaluators: Evaluators;
  /** Fires when it begins to close: builds get no new requests. */
  readonly closing: AbortSignal;
  /** Resolves when all builds have ended, which {@link close} waits for. */
  readonly buildsEnded: Promise<void>;
  /**
   * Whether a build that was live when the platform started has neither started nor failed yet. Later
   * deploys do not count: calls go to the previous build until the new one answers.
   */
  isStarting(): boolean;
  /**
   * Recovers from an earlier process: refuses its unfinished deploys, and makes requests for live
   * builds wait for their start. To be called before the platform listens.
   */
  recover(): Promise<void>;
  /** Starts the live builds in the background. To be called once the platform listens at this address. */
  open(baseUrl: string): void;
  /**
   * Resolves when calls of the application go to the live builds of the registry, also before the
   * registry's signal has arrived; or when that takes longer than a call can wait.
   */
  catchUp(applicationId: string): Promise<void>;
  /** Adds a line to an application's log, for a program that `agate dev` runs. */
  addLine(applicationId: string, line: LogLine): void;
  /**
   * Ends all builds after their running requests, and aborts running deploys. The platform must still
   * listen, for the last spans of the builds.
   */
  close(): Promise<void>;
}

export interface LogRequest {
  /** Only lines of the build with this number. */
  readonly build: number | null;
  /** Only lines of the environment that had this slug. */
  readonly environment: string | null;
  /** How many of the last lines come first. */
  readonly tail: number;
  /** Also yields new lines, until the signal fires. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
}
