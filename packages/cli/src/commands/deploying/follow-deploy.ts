import type { DeployEvents, DeployResult } from "@agate/protocol";
import type { ApiPath, ApiRequest } from "../../api-client/api-client.ts";
import { ApiFailure } from "../../api-client/api-failure.ts";
import type { ApiDocument } from "../../api-client/response-body.ts";
import { bodyEvents } from "../../api-client/response-body.ts";
import type { Progress } from "../../terminal/progress.ts";
import { CommandFailure } from "../client/failures.ts";
import type { Session } from "../client/on-platform.ts";

/** What each step does, for people. */
const STEP_WORDS: Readonly<Record<string, string>> = {
  unpack: "unpack",
  install: "install packages",
  start: "start",
  check: "check configuration",
  switch: "switch",
  drain: "drain the previous build",
};

/** The widest of the words, and of those that the command itself adds. */
export const STEP_WIDTH = Math.max(...Object.values(STEP_WORDS).map((word) => word.length));

/** A request that changes what is live in an environment. */
export interface LiveChange {
  readonly path: ApiPath;
  readonly request: Pick<ApiRequest, "query" | "body" | "bytes">;
  /** The command that shows the result where the connection is lost. */
  readonly resultCommand: string;
}

/**
 * Sends a change and shows its steps as the platform reports them, until it reports the result.
 *
 * @throws {ApiFailure} when it was refused.
 */
export async function followDeploy(
  { api }: Pick<Session<unknown>, "api">,
  { path, request, resultCommand }: LiveChange,
  progress: Progress,
): Promise<ApiDocument<DeployResult>> {
  const { url } = api.connection;
  const accept = "text/event-stream";
  const response = await api.open(path, { method: "POST", ...request, accept, timeoutMs: null });
  progress.done();
  try {
    for await (const { event, data } of bodyEvents(response, url)) {
      if (event === "deployed") {
        progress.done();
        return { value: JSON.parse(data) as DeployResult, json: data };
      }
      if (event === "refused") {
        progress.failed();
        const { status, detail, log } = JSON.parse(data) as DeployEvents["refused"];
        throw new ApiFailure(url, {
          kind: "refused",
          status,
          detail,
          retryAfterSeconds: null,
          log,
          traceId: null,
        });
      }
      if (event === "step") showStep(JSON.parse(data) as DeployEvents["step"], progress);
    }
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.why.kind === "refused") throw error;
  }
  progress.failed();
  throw new CommandFailure(
    `The connection to ${url} was lost. The deploy continues on the platform: \`${resultCommand}\` shows the result.`,
  );
}

function showStep({ step, state, detail }: DeployEvents["step"], progress: Progress): void {
  // A platform that is newer may have steps that have no words here.
  if (state === "begun") progress.begin(STEP_WORDS[step] ?? step, detail);
  // The time is shown already.
  else progress.done(/^[\d.]+ m?s$/.test(detail) ? "" : detail);
}
