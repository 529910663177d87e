import type { App } from "../app/app.ts";
import { declaredRoute } from "../app/app.ts";
import { noRoute, programApp, type RunOptions } from "../app/program-app.ts";
import { servedApps } from "../app/serve.ts";
import { declaredEvaluations } from "../evals/evaluation.ts";
import { environment } from "../runtime/environment.ts";
import { ANSWER } from "../server/answer.ts";
import { defaultTelemetry } from "../tracing/default-telemetry.ts";
import { EvaluatorApp } from "./evaluator-app.ts";
import { PlatformTraces } from "./platform-traces.ts";

/** Node's process, by what is used of it. */
interface ProcessLike {
  send?(message: unknown): unknown;
}

/**
 * Serves the evaluations that were declared so far, on the private socket that `AGATE_EVALUATOR_SOCKET`
 * names, and tells the parent process when it listens. Called by the bundles that `agate eval` and
 * `agate deploy` make of eval files.
 *
 * @param module The program: its routes are served even where no evaluation has one of them.
 * @example
 * import "./quality.eval.ts";
 * await serveEvaluator();
 * @throws Error which says what to write, where the program has no route.
 */
export async function serveEvaluator(
  module?: Readonly<Record<string, unknown>>,
  options: RunOptions = {},
): Promise<void> {
  const socket = environment("AGATE_EVALUATOR_SOCKET");
  if (socket === undefined) {
    throw new Error("AGATE_EVALUATOR_SOCKET is not set. Run evaluations with agate eval.");
  }
  useProject();
  const evaluations = declaredEvaluations().map((evaluation) => {
    const declared = declaredRoute(evaluation.route);
    if (declared !== undefined) return { evaluation, declared };
    throw new Error(
      `The evaluation ${evaluation.name} has a route of another copy of @agate/sdk. Install the package once.`,
    );
  });
  // The apps of evaluations are first: their routes are the ones that runs call.
  const ofEvaluations = evaluations.map(({ declared }) => declared.app);
  const ofProgram = [...servedApps(), programApp(module ?? {})].filter((app) => app !== undefined);
  const apps = [...new Set([...ofEvaluations, ...ofProgram])];
  // Eval files alone may declare nothing: `agate eval` says so.
  if (apps.length === 0 && module !== undefined) throw noRoute(options);
  const { answer } = new EvaluatorApp(evaluations, apps, PlatformTraces.ofEnvironment());
  const { serveOnNode } = await import("#serve");
  await serveOnNode(evaluatorOf(apps, answer), {}, socket);
  (globalThis as { process?: ProcessLike }).process?.send?.("listening");
}

/** The part of an app that serving needs. */
function evaluatorOf(apps: readonly App[], answer: EvaluatorApp["answer"]): App {
  const telemetry = defaultTelemetry();
  const shutdown = async () => {
    await Promise.all([telemetry.shutdown(), ...apps.map((app) => app.shutdown())]);
  };
  return { telemetry, shutdown, [ANSWER]: answer } as unknown as App;
}

/**
 * Makes spans, configurations and traces those of the project that `AGATE_PROJECT` names, for callers
 * that may choose one: it is added to every request to the platform. Only an evaluator has this variable,
 * which `agate eval --project` sets; the SDK itself takes the project of its key.
 */
function useProject(): void {
  const project = environment("AGATE_PROJECT");
  const platform = environment("AGATE_BASE_URL");
  if (project === undefined || platform === undefined) return;
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    const isRequest = input instanceof Request;
    if (!String(isRequest ? input.url : input).startsWith(`${platform}/`)) {
      return fetch(input, init);
    }
    const headers = new Headers(init?.headers ?? (isRequest ? input.headers : undefined));
    headers.set("agate-project", project);
    return fetch(input, { ...init, headers });
  };
}
