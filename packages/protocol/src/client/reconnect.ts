/** The pauses between attempts to connect, unless a client has its own. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

interface Backoff {
  /** After the first failure; doubled after each further one. */
  readonly firstMs?: number | undefined;
  readonly longestMs?: number | undefined;
  /** From 0 to 1: shortens the pause by up to a half, so that clients that lost the same server come back one by one. */
  readonly random?: (() => number) | undefined;
}

export interface ReconnectOptions extends Backoff {
  /**
   * One connection, from its request to its end.
   *
   * @param established resets the back-off: the server is well.
   */
  readonly connect: (established: () => void) => Promise<void>;
  /** Whether a failure may pass. Where not, {@link reconnect} throws it. */
  readonly isTransient?: ((error: unknown) => boolean) | undefined;
  /** The connection has ended or failed, and is made again after a pause. */
  readonly onLost?: ((failures: number) => void) | undefined;
  /** Ends it all; {@link reconnect} then returns. */
  readonly signal: AbortSignal;
  readonly pause?: ((milliseconds: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Keeps a connection: makes it again, after growing pauses, whenever it ends or fails. */
export async function reconnect({
  connect,
  isTransient = () => true,
  onLost,
  signal,
  pause = sleep,
  ...backoff
}: ReconnectOptions): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      await connect(() => {
        failures = 0;
      });
    } catch (error) {
      if (signal.aborted) return;
      if (!isTransient(error)) throw error;
    }
    if (signal.aborted) return;
    failures++;
    onLost?.(failures);
    await pause(backoffMs(failures, backoff), signal);
  }
}

/** @example backoffMs(3, { random: () => 1 }) // 2000 */
export function backoffMs(
  failures: number,
  { firstMs = FIRST_PAUSE_MS, longestMs = LONGEST_PAUSE_MS, random = Math.random }: Backoff = {},
): number {
  const longest = Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1));
  return longest * (0.5 + random() / 2);
}

/** Returns early when the signal fires. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end, { once: true });
  });
}
