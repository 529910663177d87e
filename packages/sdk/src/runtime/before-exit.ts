interface ProcessLike {
  once?(event: "beforeExit", listener: () => void): unknown;
  off?(event: "beforeExit", listener: () => void): unknown;
}

/**
 * Calls back once, when the process has nothing left to do, where the runtime tells. The returned
 * function takes it back.
 */
export function beforeExit(callback: () => void): () => void {
  const { process } = globalThis as { process?: ProcessLike };
  process?.once?.("beforeExit", callback);
  return () => void process?.off?.("beforeExit", callback);
}
