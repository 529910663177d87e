/**
 * The first SIGINT or SIGTERM aborts the work; a second one ends the process.
 *
 * @returns A function that stops listening and returns the signal, if one came.
 */
export function catchSignals(ended: AbortController): () => NodeJS.Signals | undefined {
  let caught: NodeJS.Signals | undefined;
  const release = () => process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  const onSignal = (signal: NodeJS.Signals) => {
    caught = signal;
    release();
    ended.abort();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return () => {
    release();
    return caught;
  };
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
export function stopSignal(): Promise<"stopped"> {
  const ended = new AbortController();
  catchSignals(ended);
  return new Promise((resolve) => {
    ended.signal.addEventListener("abort", () => resolve("stopped"), { once: true });
  });
}
