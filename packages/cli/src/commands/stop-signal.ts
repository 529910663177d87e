/** Resolves when somebody asks the process to end; a second time ends it as usual, at once. */
export function stopSignal(): Promise<"stopped"> {
  const { promise, resolve } = Promise.withResolvers<"stopped">();
  const onSignal = () => {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
    resolve("stopped");
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return promise;
}
