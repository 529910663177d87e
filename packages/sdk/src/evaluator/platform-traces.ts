import { isRecord, type SpanRecord } from "@agate/protocol";
import { environment } from "../runtime/environment.ts";
import { messageOf } from "../tracing/describe-thrown.ts";
import { callIn } from "./call-in-trace.ts";

/** The call whose tree is wanted. */
export interface WantedCall {
  readonly traceId: string;
  readonly spanId: string;
  /** How many spans its tree has at least, where that is known. */
  readonly leastSpans: number;
  /** Of an earlier run: no more spans of it are on their way. */
  readonly isStored: boolean;
}

export interface PlatformTracesOptions {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
  /** Rejects where the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Bytes of a trace that are read at most. */
  readonly mostBytes?: number | undefined;
}

type Attempt =
  | { readonly kind: "found"; readonly tree: SpanRecord }
  /** Spans may be on their way. */
  | { readonly kind: "missing"; readonly why: string }
  /** Asking again would not help. */
  | { readonly kind: "refused"; readonly why: string };

/** How long a trace is waited for: spans are sent within a second or two. */
const MOST_MS = 10_000;
const PAUSES: readonly number[] = [100, 200, 400, 800];
const LAST_PAUSE = 1_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** The traces of the platform, for scorers of calls that this process did not make or keep. */
export class PlatformTraces {
  readonly #options: PlatformTracesOptions;

  constructor(options: PlatformTracesOptions) {
    this.#options = { ...options, baseUrl: options.baseUrl.replace(/\/+$/, "") };
  }

  /** Those of `AGATE_BASE_URL`; undefined where no platform is set. */
  static ofEnvironment(): PlatformTraces | undefined {
    const baseUrl = environment("AGATE_BASE_URL");
    if (baseUrl === undefined) return undefined;
    return new PlatformTraces({
      baseUrl,
      apiKey: environment("AGATE_API_KEY"),
      fetch: globalThis.fetch,
      now: () => performance.now(),
      wait,
    });
  }

  /** @throws Error where there is no complete tree: a score that needs one is then failed. */
  async read(call: WantedCall, signal: AbortSignal): Promise<SpanRecord> {
    const { now } = this.#options;
    const end = now() + MOST_MS;
    for (let attempts = 0; ; attempts += 1) {
      const attempt = await this.#ask(call, signal);
      if (attempt.kind === "found") return attempt.tree;
      const pause = PAUSES[attempts] ?? LAST_PAUSE;
      const isLast = attempt.kind === "refused" || call.isStored || now() + pause > end;
      if (isLast)
        throw new Error(`The call's trace can't be read from the platform: ${attempt.why}`);
      await this.#options.wait(pause, signal);
    }
  }

  async #ask(call: WantedCall, signal: AbortSignal): Promise<Attempt> {
    const { baseUrl, apiKey, fetch } = this.#options;
    const url = `${baseUrl}/observability/traces/${encodeURIComponent(call.traceId)}/`;
    try {
      const response = await fetch(url, {
        headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
        signal: AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]),
      });
      if (response.status === 200) return await this.#found(response, call);
      return refusalOf(response.status, await response.text());
    } catch (error) {
      signal.throwIfAborted();
      return { kind: "missing", why: `${baseUrl} can't be reached (${messageOf(error)}).` };
    }
  }

  async #found(response: Response, call: WantedCall): Promise<Attempt> {
    const { mostBytes = MOST_BYTES } = this.#options;
    const text = await textUpTo(response, mostBytes);
    if (text === undefined) {
      return { kind: "refused", why: `it is larger than ${mostBytes} bytes.` };
    }
    const found = callIn(JSON.parse(text) as SpanRecord, call.spanId);
    if (found.kind === "incomplete") return { kind: "missing", why: found.why };
    if (found.spans < call.leastSpans) {
      const why = `it is incomplete, with ${found.spans} of ${call.leastSpans} spans.`;
      return { kind: "missing", why };
    }
    return { kind: "found", tree: found.tree };
  }
}

function refusalOf(status: number, text: string): Attempt {
  if (status === 404) return { kind: "missing", why: "it is not there, or was deleted." };
  if (status === 401 || status === 403) {
    return {
      kind: "refused",
      why: `the key needs the scope read (${status}). Check AGATE_API_KEY.`,
    };
  }
  const isTransient = status === 429 || status >= 500;
  return {
    kind: isTransient ? "missing" : "refused",
    why: `the platform answered ${status}${detailOf(text)}.`,
  };
}

function detailOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const [first] = isRecord(body) && Array.isArray(body.detail) ? body.detail : [];
    return isRecord(first) ? `: ${String(first.msg)}` : "";
  } catch {
    return "";
  }
}

/** Undefined where it is longer. */
async function textUpTo(response: Response, most: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    bytes += read.value.byteLength;
    if (bytes > most) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(read.value);
  }
  return new Blob(chunks as Uint8Array<ArrayBuffer>[]).text();
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
  });
}
