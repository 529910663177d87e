import type { ApplicationSchema, RegistryVariant, Revision, RouteParams } from "@agate/protocol";
import { formatAgo } from "@agate/protocol/format";
import { Command } from "commander";
import type { ApiClient } from "../../api-client/api-client.ts";
import { apiPath } from "../../api-client/api-client.ts";
import { ApiFailure } from "../../api-client/api-failure.ts";
import { printableLine } from "../../terminal/printable.ts";
import { APP, examples, VARIANT } from "../client/command-help.ts";
import { CommandFailure, WrongUsage } from "../client/failures.ts";
import type { Session } from "../client/on-platform.ts";
import { onPlatform } from "../client/on-platform.ts";
import { messageOption, readObjectInput } from "../client/option-values.ts";
import { formatRevision } from "../client/revision-ref.ts";
import { parseWholeNumber } from "../option-parsers.ts";
import type { ParamEdit, TypedEdit } from "./edit-params.ts";
import {
  collectRemoval,
  collectSetting,
  editParams,
  isAmbiguous,
  resolveEdit,
} from "./edit-params.ts";

interface CommitFlags {
  readonly params?: string;
  readonly set?: readonly TypedEdit[];
  readonly unset?: readonly TypedEdit[];
  readonly base?: number;
  readonly environment?: string;
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
      "change one field, nested ones too (/route.a.b=1); the value is JSON, else text (repeatable)",
      collectSetting,
    )
    .option("--unset </route.field>", "reset one field to its default (repeatable)", collectRemoval)
    .option(
      "--base <revision>",
      "fail if this is no longer the latest revision (default: the latest)",
      parseWholeNumber,
    )
    .option(
      "--environment <environment>",
      "check it against the code that is live there (default: that of the default environment)",
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
  const typed = [...(flags.set ?? []), ...(flags.unset ?? [])];
  if (flags.params === undefined && typed.length === 0) {
    throw new WrongUsage("say what to commit with --params, --set or --unset");
  }
  const base = flags.base ?? (await latestRevision(api, app, variant));
  const before =
    flags.params !== undefined
      ? ((await readObjectInput(flags.params, session.process)) as RouteParams)
      : await paramsOf(api, app, variant, base);
  const edits = await resolveEdits(session, app, before, typed);
  const path = apiPath`/registry/applications/${app}/variants/${variant}/revisions`;
  try {
    const document = await api.send<Revision>("POST", path, {
      params: edited(before, edits),
      base_revision: base,
      environment: flags.environment,
      ...(flags.message !== undefined && { message: flags.message }),
    });
    session.show(document, (revision) => [
      printableLine(`Committed ${formatRevision(revision.variant)}.`),
    ]);
  } catch (error) {
    throw hasType(error, "revision_stale")
      ? await explainStale(session, app, variant, base)
      : error;
  }
}

/** Tells routes from fields with the routes that the registry knows, where the places leave it open. */
async function resolveEdits(
  session: Session<CommitFlags>,
  app: string,
  before: RouteParams,
  typed: readonly TypedEdit[],
): Promise<readonly ParamEdit[]> {
  const known = typed.some(isAmbiguous) ? await knownRoutes(session, app) : [];
  return typed.map((edit) => resolveEdit(edit, [...Object.keys(before), ...known]));
}

async function knownRoutes(
  { api, flags: { environment } }: Session<CommitFlags>,
  app: string,
): Promise<readonly string[]> {
  try {
    const path = apiPath`/registry/applications/${app}/schema`;
    const { value } = await api.get<ApplicationSchema>(path, { environment });
    return value.routes.map(({ route }) => route);
  } catch (error) {
    if (hasType(error, "schema_not_found")) return [];
    throw error;
  }
}

function edited(before: RouteParams, edits: readonly ParamEdit[]): RouteParams {
  try {
    return editParams(before, edits);
  } catch (error) {
    throw new WrongUsage((error as Error).message);
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

function hasType(error: unknown, wanted: string): boolean {
  if (!(error instanceof ApiFailure) || error.why.kind !== "refused") return false;
  return error.why.detail.some(({ type }) => type === wanted);
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
