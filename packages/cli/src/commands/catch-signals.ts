/**
 * The first signal ends the work in order, a second one the process.
 *
 * @returns Which one came, and ends the listening.
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
