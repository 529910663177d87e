import { EvaluatorClient } from "@agate/platform/evaluations";
import type { Project } from "../packing/project.ts";
import { EvalFailure } from "./eval-failure.ts";
import { type EvaluatorPlatform, startBuildEvaluator } from "./evaluator-process.ts";
import { fetchBuild } from "./fetch-build.ts";
import type { EvalPlatform } from "./report-run.ts";
import type { RunColumn } from "./run-column.ts";

export interface StartedBuilds extends AsyncDisposable {
  /** By the ids of builds. */
  readonly clients: ReadonlyMap<string, EvaluatorClient>;
}

export interface BuildsRequest {
  readonly project: Project;
  /** The application of the evaluations, whose builds these are. */
  readonly columns: readonly { readonly application: string; readonly column: RunColumn }[];
  readonly platform: (EvalPlatform & Pick<EvaluatorPlatform, "getsTraces">) | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly onOutput: (text: string) => void;
  /** Told what is being done, which can take a minute. */
  readonly note: (sentence: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Fetches and starts the builds that columns name, each once: processes beside the evaluator, which
 * scores the outputs of all columns.
 *
 * @throws EvalFailure where one cannot be fetched or started.
 */
export async function startBuilds(request: BuildsRequest): Promise<StartedBuilds> {
  const { project, columns, platform, env, onOutput, note, signal } = request;
  await using started = new AsyncDisposableStack();
  const clients = new Map<string, EvaluatorClient>();
  for (const { application, column } of columns) {
    if (column.kind !== "build" || clients.has(column.build.id)) continue;
    if (platform === undefined) throw new Error("A build is of a platform.");
    const { build, ref } = column;
    note(`${ref} is build ${build.number}. It is fetched and started here.`);
    const { folder } = project;
    const fetched = await fetchBuild({ platform, application, build, folder, signal });
    const outcome = await startBuildEvaluator(fetched, {
      project,
      application,
      env,
      platform: { ...platform.api.connection, getsTraces: platform.getsTraces },
      onOutput,
    });
    if (outcome.kind !== "started") {
      throw new EvalFailure(
        `Build ${build.number} did not start as an evaluator here (${whyNot(outcome)}). Pass a variant instead of ${ref} to run this code.`,
      );
    }
    started.use(outcome);
    clients.set(build.id, started.use(new EvaluatorClient(outcome.socketPath)));
  }
  const running = started.move();
  return { clients, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function whyNot(
  outcome: Exclude<Awaited<ReturnType<typeof startBuildEvaluator>>, { kind: "started" }>,
): string {
  switch (outcome.kind) {
    case "threw":
      return outcome.exit;
    case "refused":
      return outcome.reason;
    case "broken":
      return "it cannot be built";
  }
}
