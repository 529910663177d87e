import type { Deployment } from "@agate/protocol";
import { Argument, Command } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import { printableLine } from "../../terminal/printable.ts";
import type { Cell } from "../../terminal/table.ts";
import { commandGroup } from "../client/command-group.ts";
import { APP, ENVIRONMENT, examples, HEADINGS } from "../client/command-help.ts";
import type { ConfirmFlags } from "../client/confirm.ts";
import { confirm, yesOption } from "../client/confirm.ts";
import { onPlatform } from "../client/on-platform.ts";
import { messageOption } from "../client/option-values.ts";
import type { Page, PageFlags } from "../client/paged-list.ts";
import { cursorOption, limitOption, listLines, noteNextPage } from "../client/paged-list.ts";
import type { VariantRef } from "../client/revision-ref.ts";
import { formatRevision, parseVariantRef } from "../client/revision-ref.ts";
import { timeCell } from "../client/times.ts";
import { changeLive } from "./change-live.ts";

interface MessageFlags {
  readonly message?: string;
}

/** `agate deployments`: which revision is live where, and was. */
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
    .description("Make a revision live in an environment.")
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
      await changeLive(session, app, environment, async ({ api, flags }) => {
        const path = apiPath`/registry/applications/${app}/environments/${environment}/deployments`;
        return await api.send<Deployment>("POST", path, {
          variant,
          ...(revision !== null && { revision }),
          ...(flags.message !== undefined && { message: flags.message }),
        });
      });
    },
  );
}

function promoteCommand(): Command {
  const command = new Command("promote")
    .description("Deploy what is live in one environment to another.")
    .argument(...APP)
    .argument("<from>", "source environment")
    .argument("<to>", "target environment")
    .addOption(messageOption())
    .addHelpText("after", examples("agate deployments promote support staging production"));
  return onPlatform<[string, string, string], MessageFlags>(
    command,
    async (session, app, from, to) => {
      await changeLive(session, app, to, async ({ api, flags }) => {
        const path = apiPath`/registry/applications/${app}/environments/${to}/promote`;
        return await api.send<Deployment>("POST", path, {
          from,
          ...(flags.message !== undefined && { message: flags.message }),
        });
      });
    },
  );
}

function rollbackCommand(): Command {
  const command = new Command("rollback")
    .description("Roll an environment back to an earlier deployment.")
    .argument(...APP)
    .argument(...ENVIRONMENT)
    .option("--to <deployment>", "id of the deployment to roll back to (default: the previous one)")
    .addOption(messageOption())
    .addHelpText("after", examples("agate deployments rollback support production -m 'too slow'"));
  return onPlatform<[string, string], MessageFlags & { readonly to?: string }>(
    command,
    async (session, app, environment) => {
      await changeLive(session, app, environment, async ({ api, flags }) => {
        const path = apiPath`/registry/applications/${app}/environments/${environment}/rollback`;
        return await api.send<Deployment>("POST", path, {
          ...(flags.to !== undefined && { deployment: flags.to }),
          ...(flags.message !== undefined && { message: flags.message }),
        });
      });
    },
  );
}

function takeDownCommand(): Command {
  const command = new Command("take-down")
    .description("Take down an environment. Calls get a 404.")
    .argument(...APP)
    .argument(...ENVIRONMENT)
    .addOption(yesOption())
    .addHelpText("after", examples("agate deployments take-down support preview"));
  return onPlatform<[string, string], ConfirmFlags>(command, async (session, app, environment) => {
    await confirm(session, `Take down ${environment} of ${app}?`);
    const path = apiPath`/registry/applications/${app}/environments/${environment}/deployment`;
    const document = await session.api.send("DELETE", path);
    session.show(document, () => [printableLine(`Nothing is live in ${environment} of ${app}.`)]);
  });
}
