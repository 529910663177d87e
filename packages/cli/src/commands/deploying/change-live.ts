import type { ConfigDiff, Deployment, Environment } from "@agate/protocol";
import { apiPath } from "../../api-client/api-client.ts";
import { ApiFailure } from "../../api-client/api-failure.ts";
import type { ApiDocument } from "../../api-client/response-body.ts";
import { printableLine } from "../../terminal/printable.ts";
import type { Session } from "../client/on-platform.ts";
import { formatRevision } from "../client/revision-ref.ts";
import { diffLines } from "../views/diff-view.ts";

/** Changes what is live in an environment, and tells what that changed. */
export async function changeLive<Flags>(
  session: Session<Flags>,
  app: string,
  environment: string,
  change: (session: Session<Flags>) => Promise<ApiDocument<Deployment>>,
): Promise<void> {
  const { api, terminal, json } = session;
  if (json) {
    session.show(await change(session), () => []);
    return;
  }
  const path = apiPath`/registry/applications/${app}/environments/${environment}`;
  const before = (await api.get<Environment>(path)).value.deployment;
  const { value: after } = await change(session);
  const live = formatRevision(after.variant);
  terminal.print(printableLine(`${live} is live in ${after.environment} of ${app} (${after.id}).`));
  if (before === null) {
    terminal.print("Nothing was live there before.");
    return;
  }
  const diff = await compare(session, app, formatRevision(before.variant), live);
  if (diff === undefined) return;
  for (const line of diffLines(diff, terminal.paint)) terminal.print(line);
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
