interface ProcessLike {
  once?(event: "exit", listener: () => void): unknown;
  off?(event: "exit", listener: () => void): unknown;
}

/**
 * Calls back once, when the process ends and nothing more can be waited for, where the runtime
 * tells. The returned function takes it back.
 */
export function atExit(callback: () => void): () => void {
  const { process } = globalThis as { process?: ProcessLike };
  process?.once?.("exit", callback);
  return () => void process?.off?.("exit", callback);
}
