import type { DeployEvents, DeployResult } from "@agate/protocol";
import { ApiFailure } from "../../api-client/api-failure.ts";
import type { ApiDocument } from "../../api-client/response-body.ts";
import { bodyEvents } from "../../api-client/response-body.ts";
import { printableLine } from "../../terminal/printable.ts";
import type { Progress } from "../../terminal/progress.ts";
import type { Paint } from "../../terminal/terminal.ts";
import { CommandFailure } from "../client/failures.ts";
import { formatRevision } from "../client/revision-ref.ts";

/** What each step does, for people. */
const STEP_WORDS: Readonly<Record<string, string>> = {
  unpack: "unpack",
  install: "install packages",
  start: "start",
  check: "check configurations",
  switch: "switch",
  drain: "drain the previous build",
};

/** The widest of the words, and of those that the command itself adds. */
export const STEP_WIDTH = Math.max(...Object.values(STEP_WORDS).map((word) => word.length));

/**
 * Shows the steps of a deploy as the platform tells them, until it says how it went.
 *
 * @throws {ApiFailure} when it was refused.
 */
export async function followDeploy(
  response: Response,
  url: string,
  app: string,
  progress: Progress,
): Promise<ApiDocument<DeployResult>> {
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
    `The connection to ${url} was lost. The deploy continues on the platform: \`agate builds ${app}\` shows the result.`,
  );
}

function showStep({ step, state, detail }: DeployEvents["step"], progress: Progress): void {
  // A platform that is newer may have steps that have no words here.
  if (state === "begun") progress.begin(STEP_WORDS[step] ?? step, detail);
  // The time is shown already.
  else progress.done(/^[\d.]+ m?s$/.test(detail) ? "" : detail);
}

/** What serves now, what is live, and where to call it. */
export function* servedLines(
  { application, build, deployment }: DeployResult,
  url: string,
  paint: Paint,
): Generator<string> {
  const app = printableLine(application.slug);
  yield `Build ${build.number} serves ${paint("bold", app)}.`;
  if (build.allow !== null && build.allow.length > 0) {
    yield `Permissions from package.json: ${build.allow.join(", ")}.`;
  }
  if (deployment !== null) {
    const { variant, environment } = deployment;
    yield printableLine(`${formatRevision(variant)} is live in ${environment}.`);
  }
  for (const route of build.routes ?? []) {
    const path = route === "/" ? "" : printableLine(route);
    yield `  ${paint("cyan", `${url}/services/${app}/run${path}`)}`;
  }
}
