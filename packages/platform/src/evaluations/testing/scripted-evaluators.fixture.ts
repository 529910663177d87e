import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
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
import type {
  DescribedEvaluations,
  EvaluatedBuild,
  EvaluatedFile,
  EvaluatorEnd,
  EvaluatorFailure,
  Evaluators,
  RunningEvaluator,
} from "../evaluators.ts";

/** One call of a route, as an evaluator gets it. */
export interface ScriptedCall extends CalledItem {
  /** The number of the build whose process is called. */
  readonly build: number;
  readonly route: string;
  readonly inputs: unknown;
  readonly variant: { readonly slug: string; readonly revision?: number } | undefined;
  /** Aborted when the caller breaks the call off. */
  readonly signal: AbortSignal;
  /** Ends the process, as a crash would. */
  readonly crash: () => void;
}

/** What a route answers. */
export type ScriptedAnswer =
  | { readonly output: unknown; readonly cost?: number | null; readonly trace?: string }
  | { readonly error: string; readonly overload?: 429 };

/** What the code of tests does. */
export interface Script {
  evaluations: readonly DeclaredEvaluation[];
  call(call: ScriptedCall): ScriptedAnswer | Promise<ScriptedAnswer>;
  score(request: ScoreRequest, build: number): ScoreResponse;
  check?(row: CheckedRow): CheckFault | undefined;
  /** Why a process cannot be started. */
  failure?(build: number): EvaluatorFailure | undefined;
  /** Why the evaluations cannot be listed. */
  readonly undescribed?: EvaluatorFailure;
  readonly files?: Readonly<Record<string, string>>;
}

/** Evaluators whose processes are servers in this one: on real sockets, with code of the test. */
export class ScriptedEvaluators implements Evaluators {
  script: Script;
  newestBuild: EvaluatedBuild | undefined;
  /** Numbers of the builds whose processes were started, in this order. */
  readonly started: number[] = [];
  readonly calls: ScriptedCall[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), "agate-scripted-"));

  constructor(script: Script) {
    this.script = script;
  }

  async newest(): Promise<EvaluatedBuild | undefined> {
    return this.newestBuild;
  }

  async describe(): Promise<DescribedEvaluations> {
    const { evaluations, undescribed } = this.script;
    return undescribed ?? { kind: "described", evaluations };
  }

  async readFile(_: EvaluatedBuild, path: string): Promise<EvaluatedFile> {
    const content = this.script.files?.[path];
    return content === undefined
      ? { kind: "missing" }
      : { kind: "file", bytes: Buffer.from(content) };
  }

  async start({ build }: EvaluatedBuild): Promise<RunningEvaluator | EvaluatorFailure> {
    const number = build?.number ?? 0;
    const failure = this.script.failure?.(number);
    if (failure !== undefined) return failure;
    const socketPath = join(this.#folder, `${this.started.push(number)}.sock`);
    const ended = Promise.withResolvers<EvaluatorEnd>();
    const end = (reason: string) => {
      server.closeAllConnections();
      server.close(() => ended.resolve({ reason, log: ["the last line"] }));
    };
    const server = createServer((request, response) => {
      void this.#answer(request, response, number, () => end("It was killed by SIGSEGV."));
    }).listen(socketPath);
    await once(server, "listening");
    return {
      kind: "running",
      socketPath,
      ended: ended.promise,
      async stop() {
        end("It ended with code 0.");
        await ended.promise;
      },
    };
  }

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    build: number,
    crash: () => void,
  ): Promise<void> {
    const body = JSON.parse(await text(request));
    const send = (status: number, value: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(value));
    };
    const [, what] = /^\/evaluations\/[^/]+\/(check|score)$/.exec(request.url ?? "") ?? [];
    if (what === "check") {
      const rows = body.rows as CheckedRow[];
      return send(200, { faults: rows.flatMap((row) => this.script.check?.(row) ?? []) });
    }
    if (what === "score") return send(200, this.script.score(body, build));
    const abort = new AbortController();
    response.on("close", () => abort.abort());
    const item = JSON.parse(decodeURIComponent(String(request.headers[RUN_HEADER])));
    const call: ScriptedCall = {
      ...item,
      build,
      route: request.url?.slice("/run".length),
      inputs: body.inputs,
      variant: body.variant,
      signal: abort.signal,
      crash,
    };
    this.calls.push(call);
    const answer = await this.script.call(call);
    if (abort.signal.aborted) return;
    const latency = { [CALL_HEADERS.latency]: "12" };
    if ("error" in answer) {
      const { error, overload } = answer;
      const detail = [{ loc: [], msg: error, type: "x" }];
      const busy = overload && { [CALL_HEADERS.overload]: String(overload) };
      return send(500, { detail }, { ...latency, ...busy });
    }
    const { output, cost = 0, trace = null } = answer;
    const paid = cost === null ? {} : { [CALL_HEADERS.cost]: String(cost) };
    const span = trace?.slice(0, 16) ?? null;
    send(200, { data: output, trace_id: trace, span_id: span }, { ...latency, ...paid });
  }
}
