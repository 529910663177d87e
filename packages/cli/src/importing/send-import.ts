import { backoffMs, sleep } from "@agate/protocol/client";
import { type ApiClient, type ApiPath, apiPath } from "../api-client/api-client.ts";
import { ApiFailure } from "../api-client/api-failure.ts";
import { readJson } from "../api-client/response-body.ts";
import type { ImportTally } from "./import-tally.ts";
import type { ImportedScore, ImportedSpan } from "./imported-row.ts";

/** Tries of a request that the platform is too busy for. */
const MOST_TRIES = 8;
const TOO_LARGE = 413;

type Outcome<Value> = { readonly kind: "answer"; readonly value: Value } | Refused;
interface Refused {
  readonly kind: "refused";
  readonly status: number;
  readonly reason: string;
}

/** Sends parts of an import, and counts what becomes of them. */
export class ImportSender {
  readonly #api: ApiClient;
  readonly #tally: ImportTally;
  readonly #signal: AbortSignal;

  constructor(api: ApiClient, tally: ImportTally, signal: AbortSignal) {
    this.#api = api;
    this.#tally = tally;
    this.#signal = signal;
  }

  /** A request that is too large is sent in halves; a span that is too large by itself is skipped. */
  async sendSpans(spans: readonly ImportedSpan[]): Promise<void> {
    const sent = await this.#post<TraceResponse>(apiPath`/v1/traces`, {
      resourceSpans: grouped(spans),
    });
    if (sent.kind === "answer") {
      const { rejectedSpans, errorMessage } = sent.value?.partialSuccess ?? {};
      const rejected = Number(rejectedSpans ?? 0);
      this.#tally.spans += spans.length - rejected;
      if (rejected > 0) this.#tally.skip(errorMessage ?? "rejected", null, rejected);
    } else if (sent.status !== TOO_LARGE) {
      this.#tally.skip(sent.reason, null, spans.length);
    } else if (spans.length === 1) {
      this.#tally.skip("a span that is larger than the platform takes", null);
    } else {
      const middle = spans.length >> 1;
      await this.sendSpans(spans.slice(0, middle));
      await this.sendSpans(spans.slice(middle));
    }
  }

  /** All of one target. Those that cannot be stored are counted with the reason, each for itself. */
  async sendScores(scores: readonly ImportedScore[]): Promise<void> {
    const [first] = scores;
    if (first === undefined) return;
    const items = scores.map(({ score }) => score);
    if (first.target === "langfuse") {
      const sent = await this.#post<ScoresResponse>(apiPath`/api/public/scores`, items);
      const errors = sent.kind === "answer" ? (sent.value.errors ?? []) : [];
      if (sent.kind === "refused") this.#tally.skip(sent.reason, null, scores.length);
      else this.#tally.scores += scores.length - errors.length;
      for (const { message } of errors) this.#tally.skip(`a score: ${message}`, null);
      return;
    }
    const path =
      first.target === "phoenix-span"
        ? apiPath`/v1/span_annotations`
        : apiPath`/v1/trace_annotations`;
    const sent = await this.#post(path, { data: items });
    if (sent.kind === "answer") this.#tally.scores += scores.length;
    else if (scores.length === 1) this.#tally.skip(`an annotation: ${sent.reason}`, null);
    // The answer names the first that failed. Storing one again changes nothing.
    else for (const score of scores) await this.sendScores([score]);
  }

  async #post<Value>(path: ApiPath, body: object): Promise<Outcome<Value>> {
    for (let tries = 1; ; tries++) {
      try {
        const response = await this.#api.open(path, {
          method: "POST",
          body,
          signal: this.#signal,
          timeoutMs: null,
        });
        const { value } = await readJson<Value>(response, this.#api.connection.url);
        return { kind: "answer", value };
      } catch (error) {
        const refused = refusal(error);
        if (refused === undefined) throw error;
        if (refused.status !== 429 && refused.status !== 503) return refused;
        if (tries === MOST_TRIES) throw error;
        await sleep(refused.retryAfterMs ?? backoffMs(tries), this.#signal);
      }
    }
  }
}

interface TraceResponse {
  readonly partialSuccess?: { readonly rejectedSpans?: string; readonly errorMessage?: string };
}

interface ScoresResponse {
  readonly errors?: readonly { readonly message: string }[];
}

/** What the platform has against a request. A missing key or scope ends the command instead. */
function refusal(error: unknown): (Refused & { retryAfterMs: number | null }) | undefined {
  if (!(error instanceof ApiFailure) || error.why.kind !== "refused") return undefined;
  const { status, detail, retryAfterSeconds } = error.why;
  if (status === 401 || status === 403) return undefined;
  const reason = detail[0]?.msg ?? `status ${status}`;
  const retryAfterMs = retryAfterSeconds === null ? null : retryAfterSeconds * 1000;
  return { kind: "refused", status, reason, retryAfterMs };
}

/** Spans with the same resource and scope come after each other in files. */
function grouped(spans: readonly ImportedSpan[]): object[] {
  const groups: { of: ImportedSpan; spans: object[] }[] = [];
  for (const each of spans) {
    const last = groups.at(-1);
    if (last !== undefined && last.of.resource === each.resource && last.of.scope === each.scope) {
      last.spans.push(each.span);
    } else {
      groups.push({ of: each, spans: [each.span] });
    }
  }
  return groups.map(({ of: { resource, scope }, spans: own }) => ({
    resource: resource ?? {},
    scopeSpans: [{ scope, spans: own }],
  }));
}
