type ExitEvent = "beforeExit" | "exit";

interface ProcessLike {
  once?(event: ExitEvent, listener: () => void): unknown;
  off?(event: ExitEvent, listener: () => void): unknown;
}

/**
 * Calls back once when the process exits: `beforeExit` while it can still wait for work, `exit` when
 * it cannot. Does nothing on runtimes without these events. The returned function unregisters.
 */
export function onExit(event: ExitEvent, callback: () => void): () => void {
  const { process } = globalThis as { process?: ProcessLike };
  process?.once?.(event, callback);
  return () => void process?.off?.(event, callback);
}

/** A timer that does not keep the process alive. The returned function cancels it. */
export function unheldTimer(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  // A number on runtimes whose timers have no handle.
  (timer as unknown as { unref?(): void }).unref?.();
  return () => clearTimeout(timer);
}
