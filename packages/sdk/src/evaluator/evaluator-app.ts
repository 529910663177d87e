import { isRecord, type SpanRecord } from "@agate/protocol";
import {
  CALL_HEADERS,
  type CheckedRow,
  configuredVersion,
  type DeclaredEvaluation,
  RUN_HEADER,
  type ScoreRequest,
  type ScorerIdentity,
} from "@agate/protocol/evaluator";
import type { App, DeclaredRoute } from "../app/app.ts";
import { configJsonSchema } from "../config/config-json-schema.ts";
import { type EvaluationItem, evaluationSlot } from "../context/call-state.ts";
import type { Evaluation } from "../evals/evaluation.ts";
import { overloadOf } from "../evals/overload-status.ts";
import { scorerConfig } from "../evals/scorer.ts";
import { scorerCode, scorerKind } from "../evals/scorer-version.ts";
import { ANSWER, type Answer, jsonAnswer } from "../server/answer.ts";
import type { EvaluatedCall, IncomingCall } from "../server/incoming-call.ts";
import { messageOf } from "../tracing/describe-thrown.ts";
import { checkRows } from "./check-rows.ts";
import { KeptTraces } from "./kept-traces.ts";
import type { PlatformTraces } from "./platform-traces.ts";
import { scoreOutput } from "./score-output.ts";
import { treeCost } from "./tree-figures.ts";

/** An evaluation whose route is known. */
export interface ServedEvaluation {
  readonly evaluation: Evaluation;
  readonly declared: DeclaredRoute;
}

/** A request holds one output, or some hundred cases. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;
const PATH = /^\/evaluations\/([^/]+)\/(check|score)$/;

/** Answers on the private socket of an evaluator: evaluations, checks and scores, and calls of a run. */
export class EvaluatorApp {
  readonly #evaluations: ReadonlyMap<string, ServedEvaluation>;
  readonly #apps: readonly App[];
  readonly #kept = new KeptTraces();

  readonly #platform: PlatformTraces | undefined;

  /**
   * @param apps Asked in this order; the first that has a route at the path of a call answers it.
   * @param platform Has the traces that this process does not.
   */
  constructor(
    evaluations: readonly ServedEvaluation[],
    apps: readonly App[],
    platform?: PlatformTraces,
  ) {
    this.#platform = platform;
    this.#evaluations = new Map(evaluations.map((each) => [each.evaluation.name, each]));
    this.#apps = apps;
  }

  readonly answer = async (incoming: IncomingCall): Promise<Answer> => {
    try {
      if (incoming.path === "/evaluations") return json(await this.#list());
      const [, name = "", what] = PATH.exec(incoming.path) ?? [];
      if (what === undefined) return await this.#call(incoming);
      const found = this.#evaluations.get(decodeURIComponent(name));
      if (found === undefined) return failure(404, `There is no evaluation ${name}.`);
      const body = await bodyOf(incoming);
      if (what === "check") {
        const faults = await checkRows(found.evaluation, found.declared, rowsOf(body));
        return json({ faults });
      }
      return json(await this.#score(found.evaluation, body as unknown as ScoreRequest, incoming));
    } catch (thrown) {
      return failure(500, messageOf(thrown));
    }
  };

  async #list(): Promise<DeclaredEvaluation[]> {
    return Promise.all(
      [...this.#evaluations.values()].map(async ({ evaluation, declared }) => {
        const { name, route, testset, trials, concurrency, gate, scorers } = evaluation;
        const identities = Object.entries(scorers).map(([scorer, given]) =>
          scorerIdentity(scorer, given),
        );
        return {
          name,
          application: declared.application,
          route: String(route.path),
          testset,
          trials,
          concurrency,
          gate: gate ?? null,
          scorers: await Promise.all(identities),
        };
      }),
    );
  }

  async #score(evaluation: Evaluation, request: ScoreRequest, { signal }: IncomingCall) {
    const scored = await scoreOutput(
      evaluation,
      request,
      { kept: this.#kept, platform: this.#platform },
      signal,
    );
    const isComplete = Object.values(scored.scores).every(
      (score) => score.status !== "failed" || score.overload === undefined,
    );
    // Overloaded judges are asked again, with the tree.
    if (isComplete && request.span !== null) this.#kept.delete(request.span.span_id);
    return scored;
  }

  /** A call as the application serves it; one of a run, where the header says so, with its figures. */
  async #call(incoming: IncomingCall): Promise<Answer> {
    const item = itemOf(incoming);
    const watch = new CallWatch();
    const call = item === undefined ? incoming : evaluated(incoming, item, watch);
    for (const app of this.#apps) {
      const answer = await (item === undefined
        ? app[ANSWER](call)
        : evaluationSlot.run(item.spans, () => app[ANSWER](call)));
      if (answer.isUnserved) continue;
      return item === undefined ? answer : await this.#withFigures(answer, watch);
    }
    return failure(404, `There is nothing at ${incoming.path}.`);
  }

  async #withFigures(answer: Answer, { thrown, tree: written }: CallWatch): Promise<Answer> {
    const headers: Record<string, string> = { ...answer.headers };
    const text = (await written) ?? "null";
    const tree = JSON.parse(text) as SpanRecord | null;
    if (tree !== null) {
      const { latency } = tree.metadata;
      const cost = treeCost(tree);
      if (latency !== null) headers[CALL_HEADERS.latency] = String(latency);
      if (cost !== null) headers[CALL_HEADERS.cost] = String(cost);
      if (answer.status < 400) this.#kept.keep(tree.id, text, tree);
    }
    const overload = thrown === undefined ? undefined : overloadOf(thrown.value);
    if (overload !== undefined) {
      headers[CALL_HEADERS.overload] = String(overload.status);
      const { retryAfterMs } = overload;
      if (retryAfterMs !== undefined) headers[CALL_HEADERS.retryAfter] = String(retryAfterMs);
    }
    return { ...answer, headers };
  }
}

/** What is seen of a call while it runs. */
class CallWatch {
  thrown: { readonly value: unknown } | undefined;
  tree: Promise<string> | undefined;
}

function evaluated(
  incoming: IncomingCall,
  { evaluation, isOfCode }: RunItem,
  watch: CallWatch,
): IncomingCall {
  const call: EvaluatedCall = {
    evaluation,
    isOfCode,
    onThrown(value) {
      watch.thrown = { value };
    },
    onTree(tree) {
      watch.tree = tree;
    },
  };
  return {
    method: incoming.method,
    path: incoming.path,
    header: (name) => incoming.header(name),
    readText: (maxBytes) => incoming.readText(maxBytes),
    stopReading: () => incoming.stopReading(),
    get isGone() {
      return incoming.isGone;
    },
    get signal() {
      return incoming.signal;
    },
    evaluated: call,
  };
}

interface RunItem extends Pick<EvaluatedCall, "evaluation" | "isOfCode"> {
  /** As every span of the call names it. */
  readonly spans: EvaluationItem;
}

/** @throws Error where the header cannot be read: a call must not run as one of no evaluation. */
function itemOf(incoming: IncomingCall): RunItem | undefined {
  const header = incoming.header(RUN_HEADER);
  if (header === null) return undefined;
  const value: unknown = JSON.parse(decodeURIComponent(header));
  const { run, case: row, trial, config, column } = isRecord(value) ? value : {};
  if (typeof run === "string" && typeof row === "string" && Number.isInteger(trial)) {
    const evaluation = Object.freeze({ run, case: row, trial: trial as number });
    const spans = { ...evaluation, column: typeof column === "string" ? column : undefined };
    return { evaluation, isOfCode: config === "code", spans };
  }
  throw new TypeError(`The header ${RUN_HEADER} must be {"run", "case", "trial"} as JSON.`);
}

async function bodyOf(incoming: IncomingCall): Promise<Readonly<Record<string, unknown>>> {
  const text = await incoming.readText(MAX_BODY_BYTES);
  if (text === null) throw new RangeError(`The body is larger than ${MAX_BODY_BYTES} bytes.`);
  const body: unknown = JSON.parse(text);
  if (isRecord(body)) return body;
  throw new TypeError("The body must be a JSON object.");
}

function rowsOf({ rows }: Readonly<Record<string, unknown>>): readonly CheckedRow[] {
  if (Array.isArray(rows)) return rows as CheckedRow[];
  throw new TypeError("The body must have rows.");
}

function json(value: unknown): Answer {
  return jsonAnswer(200, JSON.stringify(value));
}

function failure(status: number, msg: string): Answer {
  return jsonAnswer(
    status,
    JSON.stringify({ detail: [{ loc: [], msg, type: "evaluator_failed" }] }),
  );
}

/** What a runner is told of a scorer: its version with its defaults, and how it can be configured. */
async function scorerIdentity(name: string, scorer: object): Promise<ScorerIdentity> {
  const code = await scorerCode(scorer);
  const kind = scorerKind(scorer);
  const schema = scorerConfig(scorer);
  if (schema === undefined) return { name, version: code, kind };
  const { scorerName } = scorer as { readonly scorerName: string };
  const { defaults } = schema;
  const { properties: fields } = configJsonSchema(schema);
  const version = configuredVersion({ code, defaults });
  return { name, version, kind, config: { name: scorerName, code, fields, defaults } };
}
