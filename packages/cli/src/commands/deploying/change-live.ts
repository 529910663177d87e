import type { ConfigDiff, Deployment, DeployResult, Environment } from "@agate/protocol";
import type { ApiPath } from "../../api-client/api-client.ts";
import { apiPath } from "../../api-client/api-client.ts";
import { ApiFailure } from "../../api-client/api-failure.ts";
import { readJson } from "../../api-client/response-body.ts";
import { printableLine } from "../../terminal/printable.ts";
import { startProgress } from "../../terminal/progress.ts";
import type { ConfirmFlags } from "../client/confirm.ts";
import { confirm } from "../client/confirm.ts";
import type { Session } from "../client/on-platform.ts";
import { formatRevision } from "../client/revision-ref.ts";
import { diffLines } from "../views/diff-view.ts";
import {
  capitalized,
  formatBuild,
  formatLive,
  missingVariableLines,
  noteLines,
} from "../views/live-view.ts";
import { followDeploy, STEP_WIDTH } from "./follow-deploy.ts";

interface EnvironmentChange {
  readonly app: string;
  readonly environment: string;
  /** What is done to the environment. */
  readonly action: "deployments" | "promote" | "rollback";
  readonly body: Readonly<Record<string, unknown>>;
}

/** Changes what is live in an environment, and prints what that changed. */
export async function changeLive(
  session: Session<unknown>,
  { app, environment, action, body }: EnvironmentChange,
): Promise<void> {
  const { api, terminal } = session;
  const place = environmentPath(app, environment);
  const path = `${place}/${action}` as ApiPath;
  if (session.json) {
    const response = await api.open(path, { method: "POST", body, timeoutMs: null });
    session.show(await readJson<Deployment>(response, api.connection.url), () => []);
    return;
  }
  const before = (await api.get<Environment>(place)).value.deployment;
  using progress = startProgress(terminal, STEP_WIDTH);
  const resultCommand = `agate deployments ${app} ${environment}`;
  const change = { path, request: { body }, resultCommand };
  const { value } = await followDeploy(session, change, progress);
  for await (const line of changeLines(session, before, value)) terminal.print(line);
}

async function* changeLines(
  session: Session<unknown>,
  before: Deployment | null,
  result: DeployResult,
): AsyncGenerator<string> {
  const { application, deployment: after, notes } = result;
  const { slug: app } = application;
  const live = capitalized(formatLive(after));
  yield printableLine(`${live} is live in ${after.environment} of ${app} (${after.id}).`);
  yield* noteLines(notes, after);
  yield* missingVariableLines(result);
  if (before === null) {
    yield "Nothing was live there before.";
    return;
  }
  const [from, to] = [formatRevision(before.variant), formatRevision(after.variant)];
  const isNewBuild = before.build?.id !== after.build?.id;
  if (from === to && !isNewBuild) yield "The same was live there before.";
  if (isNewBuild) {
    yield `${capitalized(formatBuild(before.build))} → ${formatBuild(after.build)}`;
  }
  const diff = from === to ? undefined : await compare(session, app, from, to);
  if (diff !== undefined) yield* diffLines(diff, session.terminal.paint);
}

/** Takes down what is live in an environment, after a prompt. */
export async function takeDown(
  session: Session<ConfirmFlags>,
  app: string,
  environment: string,
): Promise<void> {
  await confirm(session, `Take down ${environment} of ${app}?`);
  const path = `${environmentPath(app, environment)}/deployment` as ApiPath;
  const document = await session.api.send("DELETE", path);
  session.show(document, () => [printableLine(`Nothing is live in ${environment} of ${app}.`)]);
}

function environmentPath(app: string, environment: string): ApiPath {
  return apiPath`/registry/applications/${app}/environments/${environment}`;
}

/** Undefined where a variant was deleted since: what is done is done, and was told. */
async function compare(
  { api }: Session<unknown>,
  app: string,
  from: string,
  to: string,
): Promise<ConfigDiff | undefined> {
  try {
    const path = apiPath`/registry/applications/${app}/diff`;
    return (await api.get<ConfigDiff>(path, { from, to })).value;
  } catch (error) {
    if (error instanceof ApiFailure && error.why.kind === "refused" && error.why.status === 404) {
      return undefined;
    }
    throw error;
  }
}
