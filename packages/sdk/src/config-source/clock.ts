/** Time, so that tests can be without sleeping. */
export interface Clock {
  /** Milliseconds since some moment; never runs backwards. */
  now(): number;
  /** Calls back later, without keeping the process alive for it. The returned function cancels. */
  after(milliseconds: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    // A number where timers have no handle.
    (timer as unknown as { unref?(): void }).unref?.();
    return () => clearTimeout(timer);
  },
};
