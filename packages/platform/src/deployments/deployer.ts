import type { DeployResult, DeployStep, LogLine } from "@agate/protocol";
import type { ApplicationRef, DeployTarget } from "../registry/registry.ts";
import type { RegistryProblem } from "../registry/registry-outcome.ts";

/** A build to deploy. */
export interface DeployRequest {
  /** The project's id. */
  readonly project: string;
  /** The application's slug; created if it does not exist. */
  readonly application: string;
  /** A gzipped tar of the build's folder: see docs/reference/build-archive.md. */
  readonly archive: Uint8Array;
  readonly by: string;
  readonly message: string;
  /** Null deploys the code alone. */
  readonly target: DeployTarget | null;
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

export type RetireOutcome = { readonly kind: "retired" } | Undeployed;

export interface DeployProgress {
  begun(step: DeployStep, detail: string): void;
  done(step: DeployStep, detail: string): void;
}

/** Deploys builds. Deploys of one application run one after the other. */
export interface Deployer {
  deploy(request: DeployRequest, progress: DeployProgress): Promise<DeployOutcome>;
  /** Makes an earlier build live again, with the same checks as a new one. */
  activate(
    ref: ApplicationRef,
    build: string,
    authorship: { readonly by: string; readonly message: string },
    progress: DeployProgress,
  ): Promise<DeployOutcome>;
  /** Ends the live build: the application answers with 404 afterwards. */
  retire(ref: ApplicationRef): Promise<RetireOutcome>;
  /** The lines of an application's builds, newest last. */
  logs(applicationId: string, options: LogRequest): AsyncIterable<LogLine>;
}

/** A deployer with its running builds. */
export interface RunningDeployer extends Deployer {
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
   * Resolves when calls of the application go to the live build of the registry, also before the
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
  /** How many of the last lines come first. */
  readonly tail: number;
  /** Also yields new lines, until the signal fires. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
}
