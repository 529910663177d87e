import { formatBytes, plural } from "@agate/protocol/format";
import { Command, Option } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import type { PackedBuild } from "../../packing/pack-app.ts";
import type { Progress } from "../../terminal/progress.ts";
import { silentProgress, startProgress } from "../../terminal/progress.ts";
import { examples, HEADINGS } from "../client/command-help.ts";
import { CommandFailure } from "../client/failures.ts";
import type { Session } from "../client/on-platform.ts";
import { onPlatform } from "../client/on-platform.ts";
import { collect, messageOption } from "../client/option-values.ts";
import { parseWholeNumber } from "../option-parsers.ts";
import { followDeploy, STEP_WIDTH, servedLines } from "./follow-deploy.ts";

interface DeployFlags {
  readonly app?: string;
  readonly variant: string;
  readonly environment?: string;
  readonly revision?: number;
  readonly codeOnly?: boolean;
  readonly include?: readonly string[];
  readonly message?: string;
}

/** `agate deploy`: from a file to a running service. */
export function deployCommand(): Command {
  const command = new Command("deploy")
    .description("Pack, upload, check and activate a workflow.")
    .helpGroup(HEADINGS.deploy)
    .argument("<file>", "the workflow, such as app.ts")
    .option(
      "--app <name>",
      "name of the application, created if it does not exist (default: $AGATE_APPLICATION, else the project's name)",
    )
    .option(
      "--variant <variant>",
      "variant to make live, created with all defaults if it does not exist",
      "default",
    )
    .option(
      "--environment <environment>",
      "environment to make it live in (default: $AGATE_ENVIRONMENT, else production)",
    )
    .option(
      "--revision <number>",
      "revision of the variant (default: the latest)",
      parseWholeNumber,
    )
    .addOption(
      new Option(
        "--code-only",
        "deploy the code without changing the live configurations",
      ).conflicts(["environment", "revision"]),
    )
    .option(
      "--include <pattern>",
      "files that the program reads at run time, relative to its project (repeatable)",
      collect,
    )
    .addOption(messageOption())
    .addHelpText(
      "after",
      examples(
        "agate deploy app.ts --app support",
        "agate deploy app.ts --app support --environment staging --include 'prompts/**' -m 'new prompts'",
      ),
    );
  return onPlatform<[string], DeployFlags>(command, deploy);
}

async function deploy(session: Session<DeployFlags>, file: string): Promise<void> {
  const { api, terminal, flags } = session;
  const { url } = api.connection;
  using progress = session.json ? silentProgress : startProgress(terminal, STEP_WIDTH);
  const { build, archive } = await pack(session, file, progress);
  progress.begin("upload", formatBytes(archive.byteLength));
  const response = await api.open(
    apiPath`/registry/applications/${build.manifest.application}/builds`,
    {
      method: "POST",
      query: { ...targetOf(session), message: flags.message },
      bytes: { content: archive, type: "application/gzip" },
      accept: "text/event-stream",
      timeoutMs: null,
    },
  );
  progress.done();
  const document = await followDeploy(response, url, build.manifest.application, progress);
  session.show(document, (result) => servedLines(result, url, terminal.paint));
}

function targetOf({
  flags,
  process: { env },
}: Session<DeployFlags>): Record<string, string | number | undefined> {
  if (flags.codeOnly) return {};
  const environment = flags.environment ?? (env.AGATE_ENVIRONMENT || "production");
  return { environment, variant: flags.variant, revision: flags.revision };
}

async function pack(
  { flags, terminal, process: { env } }: Session<DeployFlags>,
  file: string,
  progress: Progress,
): Promise<{ readonly build: PackedBuild; readonly archive: Uint8Array<ArrayBuffer> }> {
  progress.begin("pack", file);
  const { archiveFiles } = await import("@agate/platform/build-archive");
  const { formatProblems } = await import("../../packing/code-problem.ts");
  const { packApp } = await import("../../packing/pack-app.ts");
  const { app: application, include } = flags;
  const outcome = await packApp(file, { application, include, env });
  if (outcome.kind !== "packed") {
    progress.failed();
    if (outcome.kind === "refused") throw new CommandFailure(outcome.reason);
    throw new CommandFailure(
      `${file} cannot be packed:`,
      formatProblems(outcome.problems, terminal.paintNote).trimEnd().split("\n"),
    );
  }
  const archive = new Uint8Array(await archiveFiles(outcome.files));
  const packages =
    outcome.packages.length === 0
      ? ""
      : `, ${plural(outcome.packages.length, "package")} to install`;
  progress.done(`${plural(outcome.files.size, "file")}${packages}`);
  if (outcome.warnings.length > 0) {
    terminal.note(formatProblems(outcome.warnings, terminal.paintNote).trimEnd());
  }
  return { build: outcome, archive };
}
