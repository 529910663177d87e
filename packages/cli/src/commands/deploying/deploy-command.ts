import { dirname, resolve } from "node:path";
import type { DeployResult } from "@agate/protocol";
import { formatBytes, plural } from "@agate/protocol/format";
import { Command, Option } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import type { ApiDocument } from "../../api-client/response-body.ts";
import type { Progress } from "../../terminal/progress.ts";
import { silentProgress, startProgress } from "../../terminal/progress.ts";
import { examples, HEADINGS } from "../client/command-help.ts";
import { CommandFailure, WrongUsage } from "../client/failures.ts";
import type { Session } from "../client/on-platform.ts";
import { onPlatform } from "../client/on-platform.ts";
import { collect, messageOption } from "../client/option-values.ts";
import { servedLines } from "../views/live-view.ts";
import type { ActivateFlags } from "./activate-build.ts";
import { activateBuild, allowBreakingOption, revisionOptions } from "./activate-build.ts";
import { chooseEnvironment } from "./choose-environment.ts";
import { followDeploy, STEP_WIDTH } from "./follow-deploy.ts";

interface DeployFlags extends ActivateFlags {
  readonly app?: string;
  readonly environment?: string;
  readonly build?: string;
  readonly include?: readonly string[];
  /** False with --no-evals. */
  readonly evals: boolean;
}

/** `agate deploy`: from a file to a running service. */
export function deployCommand(): Command {
  const command = new Command("deploy")
    .description("Pack, upload, check and activate a workflow in one environment.")
    .helpGroup(HEADINGS.deploy)
    .argument("[file]", "the workflow, such as app.ts; none with --build")
    .option(
      "--app <name>",
      "name of the application, created if it does not exist (default: $AGATE_APPLICATION, else the project's name)",
    )
    .option(
      "--environment <environment>",
      "environment to deploy to (default: development, unless production is live)",
    );
  for (const option of revisionOptions()) command.addOption(option);
  command
    .addOption(
      new Option("--build <build>", "deploy this earlier build, by number or id").conflicts(
        "include",
      ),
    )
    .addOption(allowBreakingOption())
    .option(
      "--include <pattern>",
      "files that the program reads at run time, relative to its project (repeatable)",
      collect,
    )
    .option("--no-evals", "leave the eval files out: the platform cannot start runs of them")
    .addOption(messageOption())
    .addHelpText(
      "after",
      examples(
        "agate deploy app.ts --app support",
        "agate deploy app.ts --app support --environment staging --include 'prompts/**' -m 'new prompts'",
        "agate deploy --build 3 --app support --environment production",
      ),
    );
  return onPlatform<[string | undefined], DeployFlags>(command, deploy);
}

async function deploy(session: Session<DeployFlags>, file: string | undefined): Promise<void> {
  const { api, terminal, flags } = session;
  if (flags.revision !== undefined && flags.variant === undefined) {
    throw new WrongUsage("--revision needs --variant: a revision belongs to a variant");
  }
  if ((file === undefined) === (flags.build === undefined)) {
    throw new WrongUsage("name the file of the workflow, such as app.ts, or a build with --build");
  }
  using progress = session.json ? silentProgress : startProgress(terminal, STEP_WIDTH);
  const document =
    file === undefined
      ? await deployBuild(session, flags.build ?? "", progress)
      : await deployFile(session, file, progress);
  session.show(document, (result) => servedLines(result, api.connection.url, terminal.paint));
}

async function deployBuild(
  session: Session<DeployFlags>,
  build: string,
  progress: Progress,
): Promise<ApiDocument<DeployResult>> {
  const {
    flags,
    process: { env },
  } = session;
  const app = flags.app ?? env.AGATE_APPLICATION;
  if (!app) throw new WrongUsage("name the application of the build with --app");
  const environment = await chooseEnvironment(session, app, flags.environment);
  return activateBuild(session, { app, build, environment }, progress);
}

async function deployFile(
  session: Session<DeployFlags>,
  file: string,
  progress: Progress,
): Promise<ApiDocument<DeployResult>> {
  const { flags } = session;
  const { app, archive, commit } = await pack(session, file, progress);
  const environment = await chooseEnvironment(session, app, flags.environment);
  const { variant, revision, message } = flags;
  progress.begin("upload", formatBytes(archive.byteLength));
  return followDeploy(
    session,
    {
      path: apiPath`/registry/applications/${app}/builds`,
      request: {
        query: {
          environment,
          variant,
          revision,
          commit: commit ?? undefined,
          allow_breaking: flags.allowBreaking ? "true" : undefined,
          message,
        },
        bytes: { content: archive, type: "application/gzip" },
      },
      resultCommand: `agate builds ${app}`,
    },
    progress,
  );
}

interface Packed {
  readonly app: string;
  readonly archive: Uint8Array<ArrayBuffer>;
  /** Sent beside the archive: the same files stay the same build. */
  readonly commit: string | null;
}

async function pack(
  { flags, terminal, process: { env } }: Session<DeployFlags>,
  file: string,
  progress: Progress,
): Promise<Packed> {
  progress.begin("pack", file);
  const { archiveFiles } = await import("@agate/platform/build-archive");
  const { formatProblems } = await import("../../packing/code-problem.ts");
  const { gitCommit } = await import("../../packing/git-commit.ts");
  const { packApp } = await import("../../packing/pack-app.ts");
  const { evalFilesOf } = await import("../../packing/find-eval-files.ts");
  const { app: application, include } = flags;
  const findEvals = flags.evals ? evalFilesOf : undefined;
  const outcome = await packApp(file, { application, include, findEvals, env });
  if (outcome.kind !== "packed") {
    progress.failed();
    if (outcome.kind === "refused") throw new CommandFailure(outcome.reason);
    throw new CommandFailure(
      outcome.kind === "broken"
        ? `${file} cannot be packed:`
        : "The eval files cannot be packed. Fix them, or deploy without them (--no-evals):",
      formatProblems(outcome.problems, terminal.paintNote).trimEnd().split("\n"),
    );
  }
  const archive = new Uint8Array(await archiveFiles(outcome.files));
  const commit = await gitCommit(dirname(resolve(file)), env);
  const packages =
    outcome.packages.length === 0
      ? ""
      : `, ${plural(outcome.packages.length, "package")} to install`;
  const evalFiles = outcome.evalFiles === 0 ? "" : `, ${plural(outcome.evalFiles, "eval file")}`;
  progress.done(`${plural(outcome.files.size, "file")}${evalFiles}${packages}`);
  if (outcome.warnings.length > 0) {
    terminal.note(formatProblems(outcome.warnings, terminal.paintNote).trimEnd());
  }
  return { app: outcome.manifest.application, archive, commit };
}
