import type { SentSpan } from "../sent-span.ts";
import { sendSpans } from "../sent-span.ts";
import type { ScannedSpan } from "./trace-scanner.ts";

const BATCH = 4_000;
const CONNECTIONS = 4;

/** A trace of numbered spans, made when they are sent and known again when they come back. */
export interface LargeTrace {
  readonly traceId: string;
  readonly count: number;
  /** The number of a span's parent; its own is above 0. */
  readonly parentOf: (n: number) => number;
  /** Length of a text in each span that is not searched. */
  readonly payloadLength: number;
}

/** Sends the trace in batches over several connections. @throws if one is not acknowledged. */
export async function sendTrace(serverUrl: string, trace: LargeTrace): Promise<void> {
  const payload = "lorem ipsum ".repeat(trace.payloadLength / 12);
  let next = 0;
  const sendSome = async () => {
    while (next < trace.count) {
      const first = next;
      next += BATCH;
      const size = Math.min(BATCH, trace.count - first);
      const spans = Array.from({ length: size }, (_, n) => ({
        ...spanOf(trace, first + n),
        payload,
      }));
      const status = await sendSpans(serverUrl, spans);
      if (status !== 200) throw new Error(`The server answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendSome));
}

function spanOf({ traceId, parentOf }: LargeTrace, n: number): SentSpan {
  return {
    traceId,
    spanId: idOf(n),
    parentSpanId: n === 0 ? null : idOf(parentOf(n)),
    name: `span ${n}`,
    start: 1_700_000_000_000_000 + n,
    inputs: "",
  };
}

function idOf(n: number): string {
  return (n + 1).toString(16).padStart(16, "0");
}

/** Checks off the spans of a trace as they come back. */
export class CheckList {
  readonly #trace: LargeTrace;
  readonly #seen: Uint8Array;
  /** The first thing that was wrong. */
  #fault: string | undefined;

  constructor(trace: LargeTrace) {
    this.#trace = trace;
    this.#seen = new Uint8Array(trace.count);
  }

  readonly check = ({ id, parentId, nestedIn }: ScannedSpan): void => {
    const n = Number.parseInt(id, 16) - 1;
    const parent = n === 0 ? null : idOf(this.#trace.parentOf(n));
    if (idOf(n) !== id || !(n < this.#trace.count)) this.#fault ??= `${id} was never sent`;
    else if (this.#seen[n] === 1) this.#fault ??= `${id} is there twice`;
    else if (parentId !== parent) this.#fault ??= `${id} names ${parentId} as its parent`;
    else if (nestedIn !== parent) this.#fault ??= `${id} is nested in ${nestedIn}`;
    this.#seen[n] = 1;
  };

  /** "whole" if every span came once, in its place; else what was wrong. */
  get verdict(): string {
    if (this.#fault !== undefined) return this.#fault;
    const missing = this.#seen.indexOf(0);
    return missing < 0 ? "whole" : `${idOf(missing)} is missing`;
  }
}
