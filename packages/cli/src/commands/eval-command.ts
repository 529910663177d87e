import { Command, InvalidArgumentError, Option } from "commander";
import { createApiClient } from "../api-client/api-client.ts";
import { ApiFailure } from "../api-client/api-failure.ts";
import { readBaseUrl, readConnection, wrongUrl } from "../api-client/connection.ts";
import type { EvalPlatform } from "../evaluating/report-run.ts";
import { openTerminal } from "../terminal/terminal.ts";
import { examples, HEADINGS } from "./client/command-help.ts";
import { CommandFailure, WrongUsage } from "./client/failures.ts";
import { describeFailure, reportFailures } from "./client/report-failures.ts";
import { processOf } from "./command-process.ts";
import { parsePositiveNumber } from "./option-parsers.ts";
import { catchSignals } from "./stop-signals.ts";

const REPORTERS = ["table", "json", "junit", "github"] as const;

export interface EvalFlags {
  readonly only?: readonly string[];
  readonly candidate?: string;
  readonly baseline?: string;
  readonly scorers?: number;
  readonly trials?: number;
  readonly concurrency?: number;
  readonly maxCost?: number;
  readonly reporter: (typeof REPORTERS)[number];
  readonly output?: string;
  readonly resume?: boolean;
  readonly url?: string;
  readonly app?: string;
  readonly apiKey?: string;
  readonly project?: string;
  readonly report: boolean;
}

/** `agate eval`: runs evaluations here. */
export function evalCommand(): Command {
  const command = new Command("eval")
    .description("Run the evaluations of *.eval.ts files.")
    .helpGroup(HEADINGS.start)
    .argument("[files...]", "eval files (default: all below the folder of package.json)")
    .option("--only <name>", "run only this evaluation (repeatable)", collect)
    .option(
      "--candidate <ref>",
      "what is judged: a variant, variant@revision, env:NAME or run:ID (default: this code)",
    )
    .option("--baseline <ref>", "what it is compared with: the same, such as an earlier run")
    .option(
      "--scorers <revision>",
      "revision of the scorers' configurations on the platform (default: the latest)",
      parsePositiveNumber,
    )
    .option("--trials <number>", "calls of each case (default: the evaluation's)", parseTrials)
    .option("--concurrency <number>", "calls at the same time", parseConcurrency)
    .option("--max-cost <dollars>", "stop when calls and judges have cost this much", parseDollars)
    .addOption(new Option("--reporter <name>", "what to print").choices(REPORTERS).default("table"))
    .option("--output <file>", "write the report to this file, and the table to the terminal")
    .option("--resume", "continue the last interrupted run")
    .option("--url <url>", "call an application that runs elsewhere as the candidate", parseUrl)
    .option(
      "--app <name>",
      "name of the application (default: $AGATE_APPLICATION, else the project's)",
    )
    .option("--no-report", "report nothing to the platform")
    .option("--api-key <key>", "key to report with (default: $AGATE_API_KEY)")
    .option("--project <project>", "project of the platform, for callers that may choose one")
    .addHelpText(
      "after",
      `
Exit code: 0 passed (or no gate), 1 failed, 2 could not run, 3 undecided,
130 interrupted. Results are kept in .agate/evaluations; run:ID names them.

With a platform ($AGATE_BASE_URL, or agate --url URL eval), runs and their traces
are reported there, and variants are its own: this code runs with their
configurations. env:NAME is the build that is live there, which is fetched and
started here. Without a platform, variants are those of agate.config.json.
${examples("agate eval", "agate eval support.eval.ts --trials 3 --max-cost 2", "agate eval --baseline run:20261117-4f3a9c01", "agate eval --candidate default@9 --baseline env:production")}`,
    );
  return command.action(async (files: string[]) => {
    const ownProcess = processOf(command);
    const terminal = openTerminal(ownProcess);
    await reportFailures(command, terminal, false, async () => {
      const { runEvals } = await import("../evaluating/run-evals.ts");
      const { EvalFailure } = await import("../evaluating/eval-failure.ts");
      const { EVAL_EXIT_CODES } = await import("../evaluating/evaluation-report.ts");
      const ended = new AbortController();
      const release = catchSignals(ended);
      try {
        const flags = command.opts<EvalFlags>();
        const { env } = ownProcess;
        const platform = platformOf(command, env);
        ownProcess.exitCode = await runEvals({
          files,
          flags,
          terminal,
          env,
          platform,
          folder: process.cwd(),
          signal: ended.signal,
        });
      } catch (error) {
        if (!(error instanceof Error) || error instanceof WrongUsage) throw error;
        if (error instanceof ApiFailure) {
          throw new CommandFailure(sentenceOf(error), [], EVAL_EXIT_CODES.couldNotRun);
        }
        if (error instanceof EvalFailure) {
          throw new CommandFailure(error.message, error.lines, EVAL_EXIT_CODES.couldNotRun);
        }
        ownProcess.exitCode = EVAL_EXIT_CODES.couldNotRun;
        terminal.note(`agate: The run can't go on: ${error.stack ?? error.message}`);
      } finally {
        release();
      }
    });
  });
}

/** The one that is named by `agate --url URL eval`, or the environment: `eval --url` is the application's. */
function platformOf(command: Command, env: NodeJS.ProcessEnv): EvalPlatform | undefined {
  const common = command.parent?.opts<{ url?: string; apiKey?: string; project?: string }>() ?? {};
  if (common.url === undefined && !env.AGATE_BASE_URL) return undefined;
  const { apiKey = common.apiKey, project = common.project } = command.opts<EvalFlags>();
  const outcome = readConnection(
    {
      ...(common.url !== undefined && { url: common.url }),
      ...(apiKey !== undefined && { apiKey }),
      ...(project !== undefined && { project }),
    },
    env,
  );
  if (outcome.kind === "wrong") throw new WrongUsage(outcome.reason);
  return { api: createApiClient(outcome.connection), describe: sentenceOf };
}

function sentenceOf(failure: ApiFailure): string {
  return describeFailure(failure)
    .lines.map((line) => line.replace(/^agate: /, "").trim())
    .join(" ");
}

function collect(name: string, before: readonly string[] = []): readonly string[] {
  return [...before, name];
}

const MOST_TRIALS = 100;
const MOST_CONCURRENCY = 1000;

function parseTrials(text: string): number {
  return atMost(text, MOST_TRIALS);
}

function parseConcurrency(text: string): number {
  return atMost(text, MOST_CONCURRENCY);
}

function atMost(text: string, most: number): number {
  const number = parsePositiveNumber(text);
  if (number > most) throw new InvalidArgumentError(`Must be ${most} or less.`);
  return number;
}

function parseDollars(text: string): number {
  const dollars = Number(text);
  if (!/^\d+(?:\.\d+)?$/.test(text) || dollars <= 0) {
    throw new InvalidArgumentError("Must be an amount of US dollars above 0, such as 2.50.");
  }
  return dollars;
}

function parseUrl(text: string): string {
  const url = readBaseUrl(text);
  if (url === undefined)
    throw new InvalidArgumentError(`It ${wrongUrl(text, "http://127.0.0.1:4101")}.`);
  return url;
}
