import type { Deployer } from "../../../deployments/deployer.ts";
import type { Applications, Builds } from "../../../registry/registry.ts";
import type { Answer } from "../../answer.ts";

export interface DeploymentRouteDependencies {
  readonly deployer: Deployer;
  readonly applications: Applications;
  readonly builds: Builds;
  /** Of a build's archive. */
  readonly maxBuildBytes: number;
  /** Of any other request's body. */
  readonly maxBodyBytes: number;
  /** Fires when the server stops: streams that would never end by themselves end then. */
  readonly closing: AbortSignal;
  readonly onStoreUnavailable: (reason: string) => void;
  /** Logs an error that nobody expected, where a stream cannot just throw it. */
  readonly answerError: (error: unknown) => Answer;
}
