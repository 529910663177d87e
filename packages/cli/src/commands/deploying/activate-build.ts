import type { DeployResult } from "@agate/protocol";
import { Option } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import type { ApiDocument } from "../../api-client/response-body.ts";
import type { Progress } from "../../terminal/progress.ts";
import type { Session } from "../client/on-platform.ts";
import { parseWholeNumber } from "../option-parsers.ts";
import { followDeploy } from "./follow-deploy.ts";

/** What may be said of a build that goes live. */
export interface ActivateFlags {
  readonly variant?: string;
  readonly revision?: number;
  readonly allowBreaking?: boolean;
  readonly message?: string;
}

/** The options that name the configuration of a build that goes live. */
export function revisionOptions(): Option[] {
  return [
    new Option(
      "--variant <variant>",
      "variant to make live with it (default: the live revision stays; the first time, `default` with all defaults)",
    ),
    new Option("--revision <number>", "revision of the variant (default: the latest)").argParser(
      parseWholeNumber,
    ),
  ];
}

/** `--allow-breaking`. */
export function allowBreakingOption(): Option {
  return new Option("--allow-breaking", "allow it to drop routes and fields that are in use");
}

/** Deploys an earlier build to an environment. */
export async function activateBuild(
  session: Session<ActivateFlags>,
  { app, build, environment }: Readonly<Record<"app" | "build" | "environment", string>>,
  progress: Progress,
): Promise<ApiDocument<DeployResult>> {
  const { variant, revision, allowBreaking, message } = session.flags;
  const body = { environment, variant, revision, allow_breaking: allowBreaking, message };
  return followDeploy(
    session,
    {
      path: apiPath`/registry/applications/${app}/builds/${build}/activate`,
      // What is undefined is left out of JSON.
      request: { body },
      resultCommand: `agate builds ${app}`,
    },
    progress,
  );
}
