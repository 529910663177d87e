/**
 * Calls back later without keeping the process alive for it. The returned function cancels.
 */
export function unheldTimer(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  // A number where timers have no handle.
  (timer as unknown as { unref?(): void }).unref?.();
  return () => clearTimeout(timer);
}
