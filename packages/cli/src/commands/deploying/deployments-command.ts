import type { Deployment } from "@agate/protocol";
import { UNKNOWN } from "@agate/protocol/format";
import { Argument, Command, Option } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import type { Cell } from "../../terminal/table.ts";
import { commandGroup } from "../client/command-group.ts";
import { APP, ENVIRONMENT, examples, HEADINGS } from "../client/command-help.ts";
import type { ConfirmFlags } from "../client/confirm.ts";
import { yesOption } from "../client/confirm.ts";
import { onPlatform } from "../client/on-platform.ts";
import { messageOption } from "../client/option-values.ts";
import type { Page, PageFlags } from "../client/paged-list.ts";
import { cursorOption, limitOption, listLines, noteNextPage } from "../client/paged-list.ts";
import type { VariantRef } from "../client/revision-ref.ts";
import { formatRevision, parseVariantRef } from "../client/revision-ref.ts";
import { timeCell } from "../client/times.ts";
import { allowBreakingOption } from "./activate-build.ts";
import { changeLive, takeDown } from "./change-live.ts";

interface MessageFlags {
  readonly message?: string;
}

/** `agate deployments`: which build and which revision are live where, and were. */
export function deploymentsCommand(): Command {
  return commandGroup({
    name: "deployments",
    description: "List deployments; create, promote, roll back, take down.",
    heading: HEADINGS.deploy,
    examples: [
      "agate deployments support production",
      "agate deployments promote support staging production",
      "agate deployments rollback support production",
    ],
    main: listCommand(),
    others: [createCommand(), promoteCommand(), rollbackCommand(), takeDownCommand()],
  });
}

function listCommand(): Command {
  const command = new Command("list")
    .description("List deployments, newest first.")
    .argument(...APP)
    .argument("[environment]", "only of this environment")
    .addOption(limitOption(20))
    .addOption(cursorOption());
  return onPlatform<[string, string | undefined], PageFlags>(
    command,
    async (session, app, environment) => {
      const { api, terminal, flags } = session;
      const path =
        environment === undefined
          ? apiPath`/registry/applications/${app}/deployments`
          : apiPath`/registry/applications/${app}/environments/${environment}/deployments`;
      const { limit, cursor } = flags;
      const document = await api.get<Page<Deployment>>(path, { limit, cursor });
      session.show(document, ({ items }) =>
        listLines(
          terminal,
          [
            { title: "DEPLOYMENT" },
            { title: "ENVIRONMENT", least: 10 },
            { title: "BUILD", align: "right" },
            { title: "REVISION", least: 10 },
            { title: "SINCE" },
            { title: "ENDED", dispensable: 1 },
            { title: "HOW", least: 10, dispensable: 3 },
            { title: "BY", least: 6 },
            { title: "MESSAGE", least: 7, dispensable: 2 },
          ],
          items.map((deployment) => [
            deployment.id,
            deployment.environment,
            deployment.build === null ? UNKNOWN : String(deployment.build.number),
            formatRevision(deployment.variant),
            timeCell(session, deployment.deployed_at),
            endCell(timeCell(session, deployment.ended_at), deployment),
            how(deployment),
            deployment.deployed_by,
            deployment.message,
          ]),
          "No deployments. `agate deploy` and `agate deployments create` create one.",
        ),
      );
      if (!session.json) noteNextPage(terminal, document.value.next_cursor);
    },
  );
}

function endCell(ended: string, { ended_at }: Deployment): Cell {
  return ended_at === null ? { text: "live", style: "green" } : ended;
}

function how({ kind, promoted_from, rolled_back_to }: Deployment): string {
  if (promoted_from !== null) return `from ${promoted_from}`;
  return rolled_back_to === null ? kind : `back to ${rolled_back_to}`;
}

function createCommand(): Command {
  const command = new Command("create")
    .description("Make a revision live in an environment, with the build that is live there.")
    .argument(...APP)
    .argument(...ENVIRONMENT)
    .addArgument(
      new Argument("<revision>", "variant (its latest), or variant@revision").argParser(
        parseVariantRef,
      ),
    )
    .addOption(messageOption())
    .addHelpText("after", examples("agate deployments create support staging default@4"));
  return onPlatform<[string, string, VariantRef], MessageFlags>(
    command,
    async (session, app, environment, { variant, revision }) => {
      const { message } = session.flags;
      const body = { variant, ...(revision !== null && { revision }), message };
      await changeLive(session, { app, environment, action: "deployments", body });
    },
  );
}

interface MoveFlags extends MessageFlags {
  readonly codeOnly?: boolean;
  readonly configOnly?: boolean;
  readonly allowBreaking?: boolean;
}

/** The options of what moves a build and a revision together. */
function moveOptions(): Option[] {
  return [
    new Option("--code-only", "move the build, and keep the live revision").conflicts("configOnly"),
    new Option("--config-only", "move the revision, and keep the live build"),
    allowBreakingOption(),
    messageOption(),
  ];
}

function moveBody({ codeOnly, configOnly, allowBreaking, message }: MoveFlags) {
  // What is undefined is left out of JSON.
  return { code_only: codeOnly, config_only: configOnly, allow_breaking: allowBreaking, message };
}

function promoteCommand(): Command {
  const command = new Command("promote")
    .description("Deploy the build and the revision that are live in one environment to another.")
    .argument(...APP)
    .argument("<from>", "source environment")
    .argument("<to>", "target environment")
    .option("--expect <deployment>", "fail unless this deployment is live in the source");
  for (const option of moveOptions()) command.addOption(option);
  command.addHelpText("after", examples("agate deployments promote support staging production"));
  return onPlatform<[string, string, string], MoveFlags & { readonly expect?: string }>(
    command,
    async (session, app, from, environment) => {
      const body = { from, expect: session.flags.expect, ...moveBody(session.flags) };
      await changeLive(session, { app, environment, action: "promote", body });
    },
  );
}

function rollbackCommand(): Command {
  const command = new Command("rollback")
    .description("Roll an environment back to the build and the revision of an earlier deployment.")
    .argument(...APP)
    .argument(...ENVIRONMENT)
    .option(
      "--to <deployment>",
      "id of the deployment to roll back to (default: the last one that differs)",
    );
  for (const option of moveOptions()) command.addOption(option);
  command.addHelpText(
    "after",
    examples("agate deployments rollback support production -m 'too slow'"),
  );
  return onPlatform<[string, string], MoveFlags & { readonly to?: string }>(
    command,
    async (session, app, environment) => {
      const body = { deployment: session.flags.to, ...moveBody(session.flags) };
      await changeLive(session, { app, environment, action: "rollback", body });
    },
  );
}

function takeDownCommand(): Command {
  const command = new Command("take-down")
    .description("Take down an environment: its build ends, and calls get a 404.")
    .argument(...APP)
    .argument(...ENVIRONMENT)
    .addOption(yesOption())
    .addHelpText("after", examples("agate deployments take-down support preview"));
  return onPlatform<[string, string], ConfirmFlags>(command, takeDown);
}
