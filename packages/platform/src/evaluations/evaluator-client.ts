import { Agent, type IncomingMessage, request } from "node:http";
import { isRecord } from "@agate/protocol";
import {
  CALL_HEADERS,
  type CalledItem,
  type CheckedRow,
  type CheckFault,
  type DeclaredEvaluation,
  RUN_HEADER,
  type ScoreRequest,
  type ScoreResponse,
} from "@agate/protocol/evaluator";
import type { CallAttempt } from "./run-items.ts";

/** Which configuration a call runs with. */
export type CallTarget =
  /** The code's own defaults. */
  | { readonly by: "code" }
  /** A variant of the platform, or of `agate.config.json`, which has no revisions. */
  | {
      readonly by: "variant";
      readonly slug: string;
      /** Of one of the platform's, which may be renamed during a run. */
      readonly id?: string | undefined;
      readonly revision: number | undefined;
    };

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** Cases that are checked with one request. */
const ROWS_PER_CHECK = 500;

/** The connection to an evaluator process gave way: it crashed, or user code ended it. */
export class EvaluatorGone extends Error {
  override readonly name = "EvaluatorGone";
}

/** Speaks with an evaluator process over its private socket. */
export class EvaluatorClient implements Disposable {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #socketPath: string;
  readonly #signal: AbortSignal | undefined;

  /** @param signal Breaks off what is running: the evaluator aborts the call. */
  constructor(socketPath: string, signal?: AbortSignal) {
    this.#socketPath = socketPath;
    this.#signal = signal;
  }

  async evaluations(): Promise<readonly DeclaredEvaluation[]> {
    return read<DeclaredEvaluation[]>(await this.#send("GET", "/evaluations"));
  }

  /** Every fault of these rows; none where all can run. */
  async check(evaluation: string, rows: readonly CheckedRow[]): Promise<CheckFault[]> {
    const faults: CheckFault[] = [];
    for (let from = 0; from < rows.length; from += ROWS_PER_CHECK) {
      const part = rows
        .slice(from, from + ROWS_PER_CHECK)
        .map(({ id, inputs, expected }) => ({ id, inputs, expected }));
      const path = `/evaluations/${encodeURIComponent(evaluation)}/check`;
      const answer = await this.#send("POST", path, { rows: part });
      faults.push(...read<{ faults: CheckFault[] }>(answer).faults);
    }
    return faults;
  }

  async score(evaluation: string, given: ScoreRequest): Promise<ScoreResponse> {
    const path = `/evaluations/${encodeURIComponent(evaluation)}/score`;
    return read<ScoreResponse>(await this.#send("POST", path, given));
  }

  /** Calls a route as a client would, for an item of a run. */
  async call(
    route: string,
    inputs: unknown,
    item: CalledItem,
    target: CallTarget,
  ): Promise<CallAttempt> {
    const path = `/run${route === "/" ? "" : route}`;
    const ofCode = target.by === "code";
    const header = encodeURIComponent(JSON.stringify(ofCode ? { ...item, config: "code" } : item));
    const body = ofCode
      ? { inputs }
      : { inputs, variant: { slug: target.id ?? target.slug, revision: target.revision } };
    return toAttempt(await this.#send("POST", path, body, { [RUN_HEADER]: header }));
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const gone = (error: Error) =>
        reject(new EvaluatorGone(`The evaluator process ended: ${error.message}`));
      const sent = request({
        agent: this.#agent,
        socketPath: this.#socketPath,
        method,
        path,
        ...(this.#signal && { signal: this.#signal }),
        headers: {
          ...headers,
          ...(text !== undefined && {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(text),
          }),
        },
      });
      sent.on("error", gone);
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", gone);
        response.on("end", () => {
          const { statusCode = 0, headers: received } = response;
          resolve({
            status: statusCode,
            headers: received,
            text: Buffer.concat(chunks).toString(),
          });
        });
      });
      sent.end(text);
    });
  }
}

/** @throws Error with the evaluator's own message where it could not answer. */
function read<T>({ status, text }: Reply): T {
  const body: unknown = JSON.parse(text);
  if (status === 200) return body as T;
  throw new Error(messageIn(body) ?? `The evaluator answered ${status}.`);
}

/** The answer to a call of a route. */
function toAttempt({ status, headers, text }: Reply): CallAttempt {
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const figures = {
    trace_id: textOf(body.trace_id),
    span_id: textOf(body.span_id),
    latency: numberOf(headers[CALL_HEADERS.latency]),
    cost: numberOf(headers[CALL_HEADERS.cost]),
  };
  if (status === 200) return { ...figures, output: body.data, error: null };
  const error = messageIn(body) ?? `The route answered ${status}.`;
  const failed = { ...figures, error, stack: textOf(body.stack) ?? undefined };
  if (headers[CALL_HEADERS.overload] === undefined) return failed;
  const retryAfterMs = numberOf(headers[CALL_HEADERS.retryAfter]) ?? undefined;
  return { ...failed, overload: { retryAfterMs } };
}

function messageIn(body: unknown): string | undefined {
  const detail: unknown = isRecord(body) ? body.detail : undefined;
  if (!Array.isArray(detail)) return undefined;
  return detail.map((each) => (isRecord(each) ? String(each.msg) : "")).join(" ");
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === "string" && value !== "" ? Number(value) : null;
}
