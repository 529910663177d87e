import type { App } from "../app/app.ts";
import { ROUTE_PATHS } from "../app/app.ts";
import { app as defaultApp } from "../app/default-app.ts";
import { isServing, serve } from "../app/serve.ts";
import { unheldTimer } from "../runtime/process-lifetime.ts";

export interface RunOptions {
  /** What the module is called when there is something to say about it. */
  readonly file?: string | undefined;
}

/**
 * Serves what a module declares, unless the module has called `ag.serve` itself: the app that it
 * exports as `default` or `app`, else the one that `ag.route` declares on. Of these, the first that
 * has routes.
 *
 * @example
 * import * as app from "./app.ts";
 * await run(app, { file: "app.ts" });
 * @throws Error which says what to write, where no route is declared.
 */
export async function run(
  module: Readonly<Record<string, unknown>>,
  { file = "The module" }: RunOptions = {},
): Promise<void> {
  if (isServing()) return;
  const apps = [module.default, module.app, defaultApp()].filter(isApp);
  const app = apps.find((each) => each[ROUTE_PATHS]().length > 0);
  if (app === undefined) {
    throw new Error(
      `${file} declares no route. Write one, export const hello = ag.route("/hello", HelloConfig)(async ({ name }) => …), or import the file that does.`,
    );
  }
  await serve({ app });
}

function isApp(value: unknown): value is App {
  return typeof value === "object" && value !== null && ROUTE_PATHS in value;
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
