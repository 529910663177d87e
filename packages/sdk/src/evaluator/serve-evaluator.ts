import type { App } from "../app/app.ts";
import { declaredRoute } from "../app/app.ts";
import { declaredEvaluations } from "../evals/evaluation.ts";
import { environment } from "../runtime/environment.ts";
import { ANSWER } from "../server/answer.ts";
import { defaultTelemetry } from "../tracing/default-telemetry.ts";
import { EvaluatorApp } from "./evaluator-app.ts";

/** Node's process, by what is used of it. */
interface ProcessLike {
  send?(message: unknown): unknown;
}

/**
 * Serves the evaluations that were declared so far, on the private socket that `AGATE_EVALUATOR_SOCKET`
 * names, and tells the parent process when it listens. Called by the bundle that `agate eval` makes.
 *
 * @example
 * import "./quality.eval.ts";
 * await serveEvaluator();
 */
export async function serveEvaluator(): Promise<void> {
  const socket = environment("AGATE_EVALUATOR_SOCKET");
  if (socket === undefined) {
    throw new Error("AGATE_EVALUATOR_SOCKET is not set. Run evaluations with agate eval.");
  }
  const evaluations = declaredEvaluations().map((evaluation) => {
    const declared = declaredRoute(evaluation.route);
    if (declared !== undefined) return { evaluation, declared };
    throw new Error(
      `The evaluation ${evaluation.name} has a route of another copy of @agate/sdk. Install the package once.`,
    );
  });
  const { answer } = new EvaluatorApp(evaluations);
  const apps = [...new Set(evaluations.map(({ declared }) => declared.app))];
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
