import { noRoute, programApp, type RunOptions } from "../app/program-app.ts";
import { serve, servedApps } from "../app/serve.ts";
import { serveEvaluator } from "../evaluator/serve-evaluator.ts";
import { environment } from "../runtime/environment.ts";
import { unheldTimer } from "../runtime/process-lifetime.ts";

/**
 * Serves what a module declares, unless the module has called `ag.serve` itself: the app that it
 * exports as `default` or `app`, else the one that `ag.route` declares on. Of these, the first that
 * has routes. Where `AGATE_EVALUATOR_SOCKET` is set, it serves them for a run of an evaluation instead.
 *
 * @example
 * import * as app from "./app.ts";
 * await run(app, { file: "app.ts" });
 * @throws Error which says what to write, where no route is declared.
 */
export async function run(
  module: Readonly<Record<string, unknown>>,
  options: RunOptions = {},
): Promise<void> {
  if (environment("AGATE_EVALUATOR_SOCKET") !== undefined) return serveEvaluator(module, options);
  if (servedApps().length > 0) return;
  const app = programApp(module);
  if (app === undefined) throw noRoute(options);
  await serve({ app });
}

/** Node's process, by what is used of it. */
interface ProcessLike {
  readonly pid: number;
  /** Undefined where there never was an IPC channel, false where it was closed. */
  readonly connected?: boolean;
  readonly channel?: { unref(): void } | null;
  once(event: "disconnect", listener: () => void): unknown;
  kill(pid: number, signal: "SIGTERM" | "SIGKILL"): unknown;
}

/** How long running calls may take once the parent process is gone. */
const GRACE_MS = 10_000;

/**
 * Ends the process when the one that started it with an IPC channel is gone, as SIGTERM would:
 * `ag.serve` answers the calls that are running and sends the last spans first. It does not keep the
 * process alive. Without an IPC channel it does nothing.
 *
 * @example
 * endWithParent(); // before anything that may take long
 */
export function endWithParent(): void {
  const { process } = globalThis as unknown as { process: ProcessLike };
  if (process.connected === undefined) return;
  const end = (): void => {
    process.kill(process.pid, "SIGTERM");
    unheldTimer(GRACE_MS, () => process.kill(process.pid, "SIGKILL"));
  };
  if (process.connected) process.once("disconnect", end);
  else end();
  // The listener alone would hold the process.
  process.channel?.unref();
}
