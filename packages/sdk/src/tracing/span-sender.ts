import { unheldTimer } from "../runtime/process-lifetime.ts";
import { messageOf } from "./describe-thrown.ts";
import type { EndedSpan } from "./ended-span.ts";
import { hasOwnDispatcher, LocalPost, type PostAnswer } from "./local-post.ts";
import { decodeExportResponse } from "./otlp/decode-export-response.ts";
import { TraceRequestEncoder } from "./otlp/trace-request-encoder.ts";
import type { Secrets } from "./secrets.ts";
import type { TelemetryResource } from "./telemetry-resource.ts";

/** What became of one request, if it was not too large. */
export type SettledOutcome =
  | { readonly kind: "accepted"; readonly rejected: number; readonly message: string }
  /** Not now; `after` is how many milliseconds the platform asks to wait. */
  | { readonly kind: "later"; readonly reason: string; readonly after: number | null }
  | { readonly kind: "refused"; readonly reason: string };

export type SendOutcome = SettledOutcome | { readonly kind: "too-large" };

export interface SendTarget {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  /** Whether `fetch` is anything but the runtime's own: all requests must go through it then. */
  readonly isFetchReplaced: () => boolean;
  readonly timeoutMs: number;
}

const PROTOBUF = "application/x-protobuf";
/** A set-up may ask its cloud what it runs on; what is not known by then is left out. */
const LONGEST_WAIT_MS = 2_000;

/** Encodes spans as OTLP and sends them, one request at a call. */
export class SpanSender {
  readonly #target: SendTarget;
  readonly #encoder: TraceRequestEncoder;
  readonly #local: LocalPost | undefined;

  constructor(target: SendTarget, secrets: Secrets) {
    this.#target = target;
    this.#local = LocalPost.to(target.url);
    this.#encoder = new TraceRequestEncoder(secrets);
  }

  /** Resolves when the resources of these spans are known, or it takes too long. */
  async settled(spans: readonly EndedSpan[]): Promise<void> {
    const pending = new Set<TelemetryResource>();
    for (const { span } of spans) {
      if (span.resource?.asyncAttributesPending) pending.add(span.resource);
    }
    if (pending.size === 0) return;
    const all = Promise.all([...pending].map((resource) => resource.waitForAsyncAttributes?.()));
    await Promise.race([
      all,
      new Promise<void>((resolve) => unheldTimer(LONGEST_WAIT_MS, resolve)),
    ]);
  }

  /** Throws where one of the spans cannot be read. */
  encode(spans: readonly EndedSpan[]): Uint8Array<ArrayBuffer> {
    return this.#encoder.encode(spans);
  }

  /** Never rejects. */
  async send(body: Uint8Array, abort: AbortSignal): Promise<SendOutcome> {
    const { apiKey, timeoutMs, isFetchReplaced } = this.#target;
    const headers: Record<string, string> = { "content-type": PROTOBUF };
    if (apiKey !== undefined) headers.authorization = `Bearer ${apiKey}`;
    const local = isFetchReplaced() || hasOwnDispatcher() ? undefined : this.#local;
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), abort]);
      return outcomeOf(
        local === undefined
          ? await this.#fetch(headers, body, signal)
          : await local.send(headers, body, signal),
      );
    } catch (error) {
      return { kind: "later", reason: networkReason(error), after: null };
    }
  }

  async #fetch(
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<PostAnswer> {
    const { url, fetch } = this.#target;
    // A redirected POST may come out as a GET, or bring the key to another host.
    const request = {
      method: "POST",
      headers: new Headers(headers),
      body,
      signal,
      redirect: "manual",
    };
    const response = await fetch(url, request as RequestInit);
    const answer = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, body: answer };
  }
}

function outcomeOf(answer: PostAnswer): SendOutcome {
  const { status, headers, body } = answer;
  if (status >= 200 && status < 300) return acceptance(body);
  switch (status) {
    case 413:
      return { kind: "too-large" };
    case 429:
    case 502:
    case 503:
    case 504:
      return { kind: "later", reason: `it answered ${status}`, after: retryAfter(headers) };
    case 401:
    case 403:
      return { kind: "refused", reason: `it answered ${status}: check AGATE_API_KEY` };
    default:
      return { kind: "refused", reason: `it answered ${status}${hint(answer)}` };
  }
}

function hint({ status, headers }: PostAnswer): string {
  const location = headers.get("location");
  if (location !== null) return `, a redirect to ${location}: set AGATE_BASE_URL to where Agate is`;
  return status === 404 ? ": check that AGATE_BASE_URL is the address of Agate" : "";
}

function acceptance(answer: Uint8Array): SendOutcome {
  // The spans are accepted, even if a proxy changed the body.
  const { rejected, message } = decodeExportResponse(answer) ?? { rejected: 0, message: "" };
  return { kind: "accepted", rejected, message };
}

/** Seconds, or a date. */
function retryAfter(headers: PostAnswer["headers"]): number | null {
  const value = headers.get("retry-after");
  if (value === null) return null;
  const seconds = Number(value);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1_000;
  return Number.isNaN(milliseconds) ? null : Math.max(milliseconds, 0);
}

function networkReason(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "it did not answer in time";
  // Where `fetch` failed, the error of the connection is the cause of its own.
  const cause = (error instanceof Error ? error.cause : undefined) ?? error;
  const code = (cause as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : messageOf(cause);
}
