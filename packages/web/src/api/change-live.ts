import type { DeployEvents, DeployResult } from "@agate/protocol";
import { ApiError, UnreachableError } from "./api-error.ts";
import { applicationPath, environmentPath } from "./applications.ts";
import { jsonEvents } from "./follow-events.ts";
import type { PlatformClient } from "./platform-client.ts";

/** What moves with a promotion or a roll-back: the build, the revision, or both. */
export type MovedParts = "both" | "code" | "config";

/** What becomes live in an environment, and why. */
export type LiveChange =
  /** A revision; the build stays. */
  | { readonly kind: "deploy"; readonly variant: string; readonly revision: number }
  /** A build; the revision stays. */
  | { readonly kind: "activate"; readonly build: number }
  | {
      readonly kind: "promote";
      readonly from: string;
      /** The id of the deployment that is promoted: refused where another is live by then. */
      readonly expect: string;
      readonly parts: MovedParts;
    }
  | { readonly kind: "rollback"; readonly deployment: string; readonly parts: MovedParts };

export interface LiveChangeOptions {
  readonly message: string;
  /** Whether values and routes in use may be dropped. */
  readonly allowsBreaking: boolean;
  readonly onStep: (step: DeployEvents["step"]) => void;
}

/**
 * Changes what is live in an environment, and tells the steps as they happen.
 *
 * @throws ApiError where it is refused; its body has `log`, the last lines that the build printed.
 */
export async function changeLive(
  client: Pick<PlatformClient, "open">,
  app: string,
  environment: string,
  change: LiveChange,
  { message, allowsBreaking, onStep }: LiveChangeOptions,
): Promise<DeployResult> {
  const { path, body } = requestOf(app, environment, change);
  const sent = {
    ...body,
    message,
    // A revision alone drops nothing.
    ...(allowsBreaking && change.kind !== "deploy" && { allow_breaking: true }),
  };
  const headers = { accept: "text/event-stream" };
  const response = await client.open("POST", path, sent, { headers });
  try {
    for await (const { event, data } of jsonEvents(response)) {
      if (event === "step") onStep(data as DeployEvents["step"]);
      if (event === "deployed") return data as DeployResult;
      if (event === "refused") throw refusal(data as DeployEvents["refused"]);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw lost(error);
  }
  throw lost();
}

function requestOf(app: string, environment: string, change: LiveChange) {
  const there = environmentPath(app, environment);
  switch (change.kind) {
    case "deploy": {
      const { variant, revision } = change;
      return { path: `${there}/deployments`, body: { variant, revision } };
    }
    case "activate": {
      const path = `${applicationPath(app)}/builds/${change.build}/activate`;
      return { path, body: { environment } };
    }
    case "promote": {
      const { from, expect, parts } = change;
      return { path: `${there}/promote`, body: { from, expect, ...movedParts(parts) } };
    }
    case "rollback": {
      const { deployment, parts } = change;
      return { path: `${there}/rollback`, body: { deployment, ...movedParts(parts) } };
    }
  }
}

function movedParts(parts: MovedParts) {
  return {
    ...(parts === "code" && { code_only: true }),
    ...(parts === "config" && { config_only: true }),
  };
}

function refusal({ status, detail, log }: DeployEvents["refused"]): ApiError {
  return new ApiError(status, { detail, log });
}

function lost(cause?: unknown): UnreachableError {
  const message = "The change goes on without this page: the history shows what came of it.";
  return new UnreachableError(message, { cause });
}
