import type { RegistryVariant, Revision, RouteParams } from "@agate/protocol";
import { Command } from "commander";
import type { ApiClient } from "../../api-client/api-client.ts";
import { ApiFailure } from "../../api-client/api-failure.ts";
import { apiPath } from "../../api-client/api-path.ts";
import { formatAgo } from "../../terminal/figures.ts";
import { printableLine } from "../../terminal/printable.ts";
import { APP, VARIANT } from "../client/arguments.ts";
import { examples } from "../client/examples.ts";
import { CommandFailure, WrongUsage } from "../client/failures.ts";
import type { Session } from "../client/on-platform.ts";
import { onPlatform } from "../client/on-platform.ts";
import { messageOption } from "../client/option-values.ts";
import { readObjectInput } from "../client/read-input.ts";
import { formatRevision } from "../client/revision-ref.ts";
import { parseWholeNumber } from "../option-parsers.ts";
import type { ParamEdit } from "./edit-params.ts";
import { collectRemoval, collectSetting, editParams } from "./edit-params.ts";

interface CommitFlags {
  readonly params?: string;
  readonly set?: readonly ParamEdit[];
  readonly unset?: readonly ParamEdit[];
  readonly base?: number;
  readonly message?: string;
}

/** `agate revisions commit`: a new revision on top of the latest. */
export function commitCommand(): Command {
  const command = new Command("commit")
    .description("Add a revision to a variant.")
    .argument(...APP)
    .argument(...VARIANT)
    .option(
      "--params <file>",
      "JSON file with the whole configuration by route; - is standard input",
    )
    .option(
      "--set </route.field=value>",
      "change one field, the rest stays; the value is JSON, else text (repeatable)",
      collectSetting,
    )
    .option(
      "--unset </route.field>",
      "give one field its default again (repeatable)",
      collectRemoval,
    )
    .option(
      "--base <revision>",
      "commit only if this is still the latest (default: the latest)",
      parseWholeNumber,
    )
    .addOption(messageOption())
    .addHelpText(
      "after",
      examples(
        "agate revisions commit support default --set /summarize.temperature=0.2 -m 'less wild'",
        "agate revisions commit support default --params params.json --base 3",
      ),
    );
  return onPlatform<[string, string], CommitFlags>(command, commit);
}

async function commit(session: Session<CommitFlags>, app: string, variant: string): Promise<void> {
  const { api, flags } = session;
  const edits = [...(flags.set ?? []), ...(flags.unset ?? [])];
  if (flags.params === undefined && edits.length === 0) {
    throw new WrongUsage("say what to commit with --params, --set or --unset");
  }
  const base = flags.base ?? (await latestRevision(api, app, variant));
  const before =
    flags.params !== undefined
      ? ((await readObjectInput(flags.params)) as RouteParams)
      : await paramsOf(api, app, variant, base);
  const path = apiPath`/registry/applications/${app}/variants/${variant}/revisions`;
  try {
    const document = await api.send<Revision>("POST", path, {
      params: editParams(before, edits),
      base_revision: base,
      ...(flags.message !== undefined && { message: flags.message }),
    });
    session.show(document, (revision) => [
      printableLine(`Committed ${formatRevision(revision.variant)}.`),
    ]);
  } catch (error) {
    throw isStale(error) ? await explainStale(session, app, variant, base) : error;
  }
}

async function latestRevision(api: ApiClient, app: string, variant: string): Promise<number> {
  const path = apiPath`/registry/applications/${app}/variants/${variant}`;
  return (await api.get<RegistryVariant>(path)).value.latest_revision;
}

async function paramsOf(
  api: ApiClient,
  app: string,
  variant: string,
  revision: number,
): Promise<RouteParams> {
  if (revision === 0) return {};
  const path = apiPath`/registry/applications/${app}/variants/${variant}/revisions/${String(revision)}`;
  return (await api.get<Revision>(path)).value.params;
}

function isStale(error: unknown): boolean {
  if (!(error instanceof ApiFailure) || error.why.kind !== "refused") return false;
  return error.why.detail.some(({ type }) => type === "revision_stale");
}

/** Who was faster, and how to see what they did. */
async function explainStale(
  { api, now }: Session<unknown>,
  app: string,
  variant: string,
  base: number,
): Promise<CommandFailure> {
  const path = apiPath`/registry/applications/${app}/variants/${variant}/revisions/latest`;
  const { value } = await api.get<Revision>(path);
  const latest = formatRevision(value.variant);
  return new CommandFailure(
    `${latest} was committed by ${value.created_by} ${formatAgo(value.created_at, now)}, after revision ${base}. See what changed with \`agate revisions diff ${app} ${variant}@${base} ${latest}\`, then commit again on top of it.`,
  );
}
