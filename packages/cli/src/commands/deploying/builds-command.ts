import type { Build, BuildStatus } from "@agate/protocol";
import { formatBytes, UNKNOWN } from "@agate/protocol/format";
import { Command, Option } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import { printableLine } from "../../terminal/printable.ts";
import { silentProgress, startProgress } from "../../terminal/progress.ts";
import type { Style } from "../../terminal/terminal.ts";
import { commandGroup } from "../client/command-group.ts";
import { APP, examples, HEADINGS } from "../client/command-help.ts";
import type { ConfirmFlags } from "../client/confirm.ts";
import { yesOption } from "../client/confirm.ts";
import { onPlatform } from "../client/on-platform.ts";
import { messageOption } from "../client/option-values.ts";
import type { Page, PageFlags } from "../client/paged-list.ts";
import { cursorOption, limitOption, listLines, noteNextPage } from "../client/paged-list.ts";
import { timeCell } from "../client/times.ts";
import { servedLines } from "../views/live-view.ts";
import type { ActivateFlags } from "./activate-build.ts";
import { activateBuild, allowBreakingOption, revisionOptions } from "./activate-build.ts";
import { takeDown } from "./change-live.ts";
import { STEP_WIDTH } from "./follow-deploy.ts";

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
    examples: ["agate builds support", "agate builds activate support 3 --environment staging"],
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
          { title: "LIVE IN", least: 10 },
          { title: "DEPLOYED" },
          { title: "BY", least: 6 },
          { title: "COMMIT", dispensable: 2 },
          { title: "SIZE", align: "right", dispensable: 3 },
          { title: "SDK", dispensable: 4 },
          { title: "ROUTES", least: 8, dispensable: 1 },
          { title: "NOTES", least: 10 },
        ],
        items.map((build) => [
          String(build.number),
          { text: build.status, style: STATUS_STYLES[build.status] ?? "dim" },
          build.environments.join(" ") || UNKNOWN,
          timeCell(session, build.created_at),
          build.created_by,
          build.commit === null ? UNKNOWN : shortCommit(build.commit),
          build.kind === "external" ? UNKNOWN : formatBytes(build.size),
          build.sdk_version || UNKNOWN,
          build.routes?.join(" ") ?? "",
          notesOf(build),
        ]),
        printableLine(`${app} has no builds. \`agate deploy app.ts --app ${app}\` creates one.`),
      ),
    );
    if (!session.json) noteNextPage(terminal, document.value.next_cursor);
  });
}

/** @example shortCommit("9fceb02d0ae598e95dc970b74767f19372d61af8-dirty") // "9fceb02d-dirty" */
function shortCommit(commit: string): string {
  return commit.replace(/^([0-9a-f]{8})[0-9a-f]*/, "$1");
}

function notesOf({ kind, refusal, message }: Build): string {
  return refusal ?? (kind === "external" ? `runs elsewhere ${message}`.trim() : message);
}

function activateCommand(): Command {
  const command = new Command("activate")
    .description("Deploy an earlier build to an environment, after the same checks as a deploy.")
    .argument(...APP)
    .argument("<build>", "number or id of the build")
    .addOption(environmentOption());
  for (const option of revisionOptions()) command.addOption(option);
  command
    .addOption(allowBreakingOption())
    .addOption(messageOption())
    .addHelpText("after", examples("agate builds activate support 3 --environment staging"));
  return onPlatform<[string, string], EnvironmentFlags & ActivateFlags>(
    command,
    async (session, app, build) => {
      const { api, terminal, flags } = session;
      const { environment } = flags;
      using progress = session.json ? silentProgress : startProgress(terminal, STEP_WIDTH);
      const document = await activateBuild(session, { app, build, environment }, progress);
      session.show(document, (result) => servedLines(result, api.connection.url, terminal.paint));
    },
  );
}

function stopCommand(): Command {
  const command = new Command("stop")
    .description("Take down an environment: its build ends, and calls get a 404.")
    .argument(...APP)
    .addOption(environmentOption())
    .addOption(yesOption())
    .addHelpText("after", examples("agate builds stop support --environment staging"));
  return onPlatform<[string], EnvironmentFlags & ConfirmFlags>(command, async (session, app) => {
    await takeDown(session, app, session.flags.environment);
  });
}

interface EnvironmentFlags {
  readonly environment: string;
}

function environmentOption(): Option {
  return new Option(
    "--environment <environment>",
    "name or id of the environment",
  ).makeOptionMandatory();
}
