import type { Build, BuildStatus, DeployResult } from "@agate/protocol";
import { formatBytes } from "@agate/protocol/format";
import { Command } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import { printableLine } from "../../terminal/printable.ts";
import { silentProgress, startProgress } from "../../terminal/progress.ts";
import type { Style } from "../../terminal/terminal.ts";
import { commandGroup } from "../client/command-group.ts";
import { APP, examples, HEADINGS } from "../client/command-help.ts";
import type { ConfirmFlags } from "../client/confirm.ts";
import { confirm, yesOption } from "../client/confirm.ts";
import { onPlatform } from "../client/on-platform.ts";
import { messageOption } from "../client/option-values.ts";
import type { Page, PageFlags } from "../client/paged-list.ts";
import { cursorOption, limitOption, listLines, noteNextPage } from "../client/paged-list.ts";
import { timeCell } from "../client/times.ts";
import { followDeploy, STEP_WIDTH, servedLines } from "./follow-deploy.ts";

const STATUS_STYLES: Readonly<Record<BuildStatus, Style>> = {
  starting: "yellow",
  live: "green",
  retired: "dim",
  refused: "red",
};

/** `agate builds`: the code of an application as it was deployed. */
export function buildsCommand(): Command {
  return commandGroup({
    name: "builds",
    description: "List builds; activate or stop one.",
    heading: HEADINGS.deploy,
    examples: ["agate builds support", "agate builds activate support 3"],
    main: listCommand(),
    others: [activateCommand(), stopCommand()],
  });
}

function listCommand(): Command {
  const command = new Command("list")
    .description("List the builds of an application, newest first.")
    .argument(...APP)
    .addOption(limitOption(20))
    .addOption(cursorOption());
  return onPlatform<[string], PageFlags>(command, async (session, app) => {
    const { api, terminal, flags } = session;
    const { limit, cursor } = flags;
    const path = apiPath`/registry/applications/${app}/builds`;
    const document = await api.get<Page<Build>>(path, { limit, cursor });
    session.show(document, ({ items }) =>
      listLines(
        terminal,
        [
          { title: "BUILD", align: "right" },
          { title: "STATUS" },
          { title: "DEPLOYED" },
          { title: "BY", least: 6 },
          { title: "SIZE", align: "right", dispensable: 2 },
          { title: "SDK", dispensable: 3 },
          { title: "ROUTES", least: 8, dispensable: 1 },
          { title: "NOTES", least: 10 },
        ],
        items.map((build) => [
          String(build.number),
          { text: build.status, style: STATUS_STYLES[build.status] ?? "dim" },
          timeCell(session, build.created_at),
          build.created_by,
          formatBytes(build.size),
          build.sdk_version,
          build.routes?.join(" ") ?? "",
          build.refusal ?? build.message,
        ]),
        printableLine(`${app} has no builds. \`agate deploy app.ts --app ${app}\` creates one.`),
      ),
    );
    if (!session.json) noteNextPage(terminal, document.value.next_cursor);
  });
}

function activateCommand(): Command {
  const command = new Command("activate")
    .description("Activate an earlier build, after the same checks as a deploy.")
    .argument(...APP)
    .argument("<build>", "number or id of the build")
    .addOption(messageOption())
    .addHelpText("after", examples("agate builds activate support 3"));
  return onPlatform<[string, string], { readonly message?: string }>(
    command,
    async (session, app, build) => {
      const { api, terminal, flags } = session;
      const { url } = api.connection;
      using progress = session.json ? silentProgress : startProgress(terminal, STEP_WIDTH);
      const response = await api.open(
        apiPath`/registry/applications/${app}/builds/${build}/activate`,
        {
          method: "POST",
          body: flags.message === undefined ? {} : { message: flags.message },
          accept: "text/event-stream",
          timeoutMs: null,
        },
      );
      const document = await followDeploy(response, url, app, progress);
      session.show(document, (result: DeployResult) => servedLines(result, url, terminal.paint));
    },
  );
}

function stopCommand(): Command {
  const command = new Command("stop")
    .description("Stop serving an application. Calls get a 404.")
    .argument(...APP)
    .addOption(yesOption())
    .addHelpText("after", examples("agate builds stop support"));
  return onPlatform<[string], ConfirmFlags>(command, async (session, app) => {
    await confirm(session, `Stop serving ${app}?`);
    const path = apiPath`/registry/applications/${app}/builds/live`;
    const document = await session.api.send("DELETE", path);
    session.show(document, () => [printableLine(`No build serves ${app} now.`)]);
  });
}
