import { hash } from "node:crypto";

/** The name of a trace, in either store. */
export interface TraceName {
  readonly project: string;
  readonly traceId: string;
}

/**
 * Some of many traces, each as likely as any other: those whose digests with a random seed are the
 * smallest. So a trace may be offered several times, and another process can resume a sample.
 */
export class TraceSample {
  readonly #size: number;
  readonly #seed: string;
  /** In ascending order, with the traces beside them. */
  readonly #digests: string[] = [];
  readonly #traces: TraceName[] = [];

  constructor(size: number, seed: string, known: readonly TraceName[] = []) {
    this.#size = size;
    this.#seed = seed;
    for (const trace of known) this.offer(trace);
  }

  get traces(): readonly TraceName[] {
    return this.#traces;
  }

  offer({ project, traceId }: TraceName): void {
    const digest = hash("sha1", `${this.#seed} ${traceId} ${project}`);
    const isFull = this.#digests.length >= this.#size;
    if (isFull && digest >= (this.#digests.at(-1) ?? "")) return;
    const at = this.#placeOf(digest);
    if (this.#digests[at] === digest) return;
    this.#digests.splice(at, 0, digest);
    this.#traces.splice(at, 0, { project, traceId });
    if (!isFull) return;
    this.#digests.pop();
    this.#traces.pop();
  }

  #placeOf(digest: string): number {
    let low = 0;
    let high = this.#digests.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#digests[middle] as string) < digest) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
