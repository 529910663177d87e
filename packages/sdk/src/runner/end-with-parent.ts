import { unheldTimer } from "../runtime/unheld-timer.ts";

/** Node's process, by what is used of it. */
interface ProcessLike {
  readonly pid: number;
  /** Undefined where there never was an IPC channel, false where it was closed. */
  readonly connected?: boolean;
  readonly channel?: { unref(): void } | null;
  once(event: "disconnect", listener: () => void): unknown;
  kill(pid: number, signal: "SIGTERM" | "SIGKILL"): unknown;
}

/** How long calls that are running may take, once nobody waits for their answers. */
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
