import type { ScoreSourceKind, ScoreStatus } from "@agate/protocol";
import { type OptionNames, unknownOption } from "../runtime/unknown-option.ts";
import { bodyFailure, invalidResponse, quotedBody } from "./call-failures.ts";
import type { ClientOptions } from "./client-types.ts";
import { post } from "./post.ts";

/** A judgement of a trace or a span. */
export interface SentScore {
  /** The trace that is judged: `traceId` of a call's answer. */
  readonly traceId: string;
  /** The span that is judged; without it, the top span of the trace. */
  readonly spanId?: string | undefined;
  /** Lower-case letters and digits, with single `-`, `_` or `.` between them: `helpful`. */
  readonly name: string;
  /** `true` and `false` are 1 and 0, with the labels `yes` and `no`. */
  readonly value?: number | boolean | undefined;
  readonly label?: string | undefined;
  readonly explanation?: string | undefined;
  /** `ok` by default; the others have no value. */
  readonly status?: ScoreStatus | undefined;
  /** Why it failed or was skipped. */
  readonly error?: string | undefined;
  /** Who has judged: `code` by default; with a key that has the scope `score` only, always `end_user`. */
  readonly kind?: ScoreSourceKind | undefined;
  /** The name and the version of what has judged. */
  readonly evaluator?: string | undefined;
  readonly version?: string | undefined;
  /** The person who has judged: each has a score of their own. */
  readonly person?: string | undefined;
  /** When it was judged; now by default. */
  readonly createdAt?: Date | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** How `sendScore` reaches the platform. */
export interface SendScoreOptions extends ClientOptions {
  /** The platform's address, such as `http://localhost:4100`. */
  readonly baseUrl: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Judges a trace or a span, from anywhere: a page, a job, another service. Sending the same judgement again
 * replaces it, so that a thumb can be changed, and a request that failed can be repeated.
 *
 * @returns The id of the score.
 * @throws ClientError where the platform did not store it.
 *
 * @example
 * const { data, traceId } = await client.summarize({ text }).answer;
 * await sendScore({ traceId, name: "helpful", value: true }, { baseUrl, apiKey });
 */
export async function sendScore(score: SentScore, options: SendScoreOptions): Promise<string> {
  const unknown =
    unknownOption("sendScore()", options, OPTIONS) ?? unknownOption("The score", score, FIELDS);
  if (unknown !== null) throw new TypeError(unknown);
  const { baseUrl, signal } = options;
  if (!URL.canParse(baseUrl)) {
    throw new TypeError(
      `${JSON.stringify(baseUrl)} is no URL for sendScore(): write the platform's address, such as "http://localhost:4100".`,
    );
  }
  const url = `${baseUrl.replace(/\/+$/, "")}/observability/scores/`;
  const body = JSON.stringify({ scores: [bodyOf(score)] });
  const answered = await post(url, { headers: headersOf(options), body, signal }, options.fetch);
  const text = await answered.response.text().catch((thrown: unknown) => {
    throw bodyFailure(answered, thrown);
  });
  const id = idIn(text);
  if (id !== undefined) return id;
  throw invalidResponse(answered, `a body without ids: ${quotedBody(text)}`, "an Agate platform");
}

/** What is undefined is left out of JSON. */
function bodyOf(score: SentScore): object {
  const { traceId, spanId, kind, evaluator, version, person, createdAt, ...same } = score;
  const source = { kind, evaluator, version, person };
  const isGiven = Object.values(source).some((value) => value !== undefined);
  return {
    trace_id: traceId,
    span_id: spanId,
    ...same,
    source: isGiven ? source : undefined,
    created_at: createdAt,
  };
}

function headersOf({ apiKey, headers: given = {} }: SendScoreOptions): Headers {
  const headers = new Headers({ "content-type": "application/json" });
  if (apiKey !== undefined) headers.set("authorization", `Bearer ${apiKey}`);
  for (const [name, value] of Object.entries(given)) headers.set(name, value);
  return headers;
}

function idIn(text: string): string | undefined {
  try {
    const id: unknown = JSON.parse(text)?.ids?.[0];
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}

const OPTIONS: OptionNames<SendScoreOptions> = {
  baseUrl: true,
  apiKey: true,
  headers: true,
  fetch: true,
  signal: true,
};

const FIELDS: OptionNames<SentScore> = {
  traceId: true,
  spanId: true,
  name: true,
  value: true,
  label: true,
  explanation: true,
  status: true,
  error: true,
  kind: true,
  evaluator: true,
  version: true,
  person: true,
  createdAt: true,
  metadata: true,
};
