import type { DeployResult, DeployStep, LogLine } from "@agate/protocol";
import type { ApplicationRef, DeployTarget } from "../registry/registry.ts";
import type { RegistryProblem } from "../registry/registry-outcome.ts";

/** What a deploy brings. */
export interface DeployRequest {
  /** The project's id. */
  readonly project: string;
  /** The application's slug; it is made if it is not there. */
  readonly application: string;
  /** A gzipped tar of the build's folder: see docs/reference/build-archive.md. */
  readonly archive: Uint8Array;
  readonly by: string;
  readonly message: string;
  /** Null deploys the code alone. */
  readonly target: DeployTarget | null;
}

/** What refuses a deploy beside the registry. Each is an error type of the API. */
export type DeployProblemType = "archive_invalid" | "install_failed" | "build_unusable";

export interface DeployProblem {
  readonly type: DeployProblemType | RegistryProblem["type"];
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

export type DeployOutcome =
  | { readonly kind: "deployed"; readonly result: DeployResult }
  | Undeployed;

/** The build that served before still does. */
export type Undeployed =
  | {
      readonly kind: "refused";
      readonly problems: readonly [DeployProblem, ...DeployProblem[]];
      /** What the build, or npm, printed last. */
      readonly log: readonly string[];
    }
  /** The disk is full, say: nothing was changed, and trying again later may help. */
  | { readonly kind: "unavailable"; readonly reason: string }
  /** The platform is being stopped: nothing was changed. */
  | { readonly kind: "stopping" };

export type RetireOutcome = { readonly kind: "retired" } | Undeployed;

export interface DeployProgress {
  begun(step: DeployStep, detail: string): void;
  done(step: DeployStep, detail: string): void;
}

/** Brings builds to life. Deploys of one application wait for each other; those of several do not. */
export interface Deployer {
  deploy(request: DeployRequest, progress: DeployProgress): Promise<DeployOutcome>;
  /** Lets an earlier build of the application serve again, with the same checks. */
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

/** A deployer together with what it runs. */
export interface RunningDeployer extends Deployer {
  /** Fires when it begins to close: nothing new is to go to builds. */
  readonly closing: AbortSignal;
  /**
   * Whether builds that were live when the platform started have neither started nor failed once. A
   * deploy later on does not count: calls go to the build before until the new one answers.
   */
  isStarting(): boolean;
  /**
   * Takes over what an earlier process has left: what it did not finish is refused, and requests for
   * live builds wait for them from here on. Before the platform listens.
   */
  recover(): Promise<void>;
  /** Starts the live builds, and does not wait for them. Once the platform listens, at this address. */
  open(baseUrl: string): void;
  /**
   * Resolves when calls of the application go where the registry says, though nobody has told this
   * process of it yet; or when that takes longer than a call can wait.
   */
  catchUp(applicationId: string): Promise<void>;
  /** Adds a line to an application's log, of a program that something else runs. */
  addLine(applicationId: string, line: LogLine): void;
  /**
   * Ends all builds: requests under way are finished, and their last spans sent, so that the platform
   * must still listen. Deploys under way are given up.
   */
  close(): Promise<void>;
}

export interface LogRequest {
  /** Only of this build, by its number. */
  readonly build: number | null;
  /** How many of the last lines come first. */
  readonly tail: number;
  /** Goes on with new lines until the signal fires. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
}
