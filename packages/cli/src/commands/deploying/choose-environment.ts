import type { Environment } from "@agate/protocol";
import { apiPath } from "../../api-client/api-client.ts";
import { ApiFailure } from "../../api-client/api-failure.ts";
import { printableLine } from "../../terminal/printable.ts";
import { renderFields } from "../../terminal/table.ts";
import { askYesNo } from "../../terminal/terminal.ts";
import { CommandFailure } from "../client/failures.ts";
import type { Session } from "../client/on-platform.ts";
import type { Items } from "../client/paged-list.ts";
import { formatLive } from "../views/live-view.ts";

const DEVELOPMENT = "development";

/**
 * The environment of a deploy: the named one, else development. Where the default environment is live,
 * development may not be what is meant: then a person is asked, and a script has to name it.
 */
export async function chooseEnvironment(
  session: Pick<Session<unknown>, "api" | "terminal">,
  app: string,
  named: string | undefined,
): Promise<string> {
  if (named !== undefined) return named;
  const environments = await listEnvironments(session, app);
  const live = environments.find(({ is_default, deployment }) => is_default && deployment !== null);
  if (live === undefined) return DEVELOPMENT;
  const { terminal } = session;
  const reason = `${live.slug} of ${app} is live, and no --environment was given.`;
  if (!terminal.canAsk) {
    const names = environments.map(({ slug }) => slug).join(", ");
    throw new CommandFailure(`${reason} Name one with --environment: ${names}.`);
  }
  terminal.note(printableLine(reason));
  const rows = environments.map(({ slug, deployment }): [string, string] => [
    slug,
    deployment === null ? "nothing is live" : formatLive(deployment),
  ]);
  for (const line of renderFields(rows, terminal.paintNote)) terminal.note(`  ${line}`);
  if (await askYesNo(`Deploy to ${DEVELOPMENT}?`)) return DEVELOPMENT;
  throw new CommandFailure("Nothing was changed. Name the environment with --environment.");
}

/** None of an application that does not exist yet. */
async function listEnvironments(
  { api }: Pick<Session<unknown>, "api">,
  app: string,
): Promise<readonly Environment[]> {
  try {
    const path = apiPath`/registry/applications/${app}/environments`;
    return (await api.get<Items<Environment>>(path)).value.items;
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.why.kind !== "refused") throw error;
    const types = error.why.detail.map(({ type }) => type);
    if (types.includes("application_not_found")) return [];
    if (!types.includes("scope_missing")) throw error;
    throw new CommandFailure(
      "The key may not read which environments are live. Name one with --environment.",
    );
  }
}
