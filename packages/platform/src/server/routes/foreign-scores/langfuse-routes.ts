import { isRecord } from "@agate/protocol";
import type { Registry } from "../../../registry/registry.ts";
import type { Answer } from "../../answer.ts";
import { JSON_TYPE, jsonAnswer, problemAnswer } from "../../answer.ts";
import type { Route } from "../../route.ts";
import { route } from "../../route.ts";
import type { ScoreRouteOptions } from "../scores.ts";
import { rejected } from "./foreign-score.ts";
import { type PutOutcome, putForeignScores } from "./put-foreign-scores.ts";
import { readLangfuseScore } from "./read-langfuse-score.ts";
import { answer, bodyOf, SCORE_ERRORS, unavailable } from "./score-exchange.ts";

const EXAMPLE = {
  id: "c0ffee",
  name: "helpful",
  value: 0.8,
  traceId: "5b8efff798038103d269b633813fc60c",
};

/** What Langfuse's SDKs call beside their export of spans. */
export function langfuseRoutes(
  options: ScoreRouteOptions,
  projects: Registry["projects"],
): readonly Route[] {
  return [scoresRoute(options), ingestionRoute(options), projectsRoute(projects)];
}

function scoresRoute(options: ScoreRouteOptions): Route {
  return route({
    method: "POST",
    path: "/api/public/scores",
    access: ["score", "evaluate"],
    clients: "any",
    id: "putLangfuseScores",
    tag: "observability",
    summary: "Judge spans, as with Langfuse",
    description:
      "Takes a score, or a list of them, as SDKs of Langfuse send them. `value` is the value where it is a number and the label where it is a text, `comment` the explanation. A score with the same `id` replaces the one before. Scores of sessions and dataset runs are rejected.",
    requestBody: { [JSON_TYPE]: { type: ["array", "object"], examples: [[EXAMPLE]] } },
    success: {
      status: 200,
      description: "The id of a single score.",
      body: { [JSON_TYPE]: { type: "object", required: ["id"] } },
    },
    otherwise: [
      {
        status: 202,
        description: "All scores of a list are stored.",
        body: { [JSON_TYPE]: { type: "object", required: ["message"] } },
      },
      {
        status: 207,
        description: "Some scores of a list were rejected, with the reasons.",
        body: { [JSON_TYPE]: { type: "object", required: ["accepted", "rejected", "errors"] } },
      },
    ],
    errors: SCORE_ERRORS,
    answer: async ({ incoming, caller }) => {
      const body = await bodyOf(incoming, caller, (value) =>
        Array.isArray(value) ? value : isRecord(value) ? [value] : undefined,
      );
      if ("kind" in body) return body;
      const outcomes = await putForeignScores(body.items.map(readLangfuseScore), caller, options);
      if (outcomes === undefined) return unavailable();
      if (Array.isArray(body.value)) return batchAnswer(outcomes);
      const [only] = outcomes;
      if (only?.kind === "stored")
        return jsonAnswer(JSON.stringify({ id: sentIdOr(body.value, only.id) }));
      return problemAnswer({ type: "body_invalid", loc: ["body"], msg: only?.reason ?? "" });
    },
  });
}

/** Clients expect the id that they have sent. */
function sentIdOr(sent: unknown, id: string): string {
  return isRecord(sent) && typeof sent.id === "string" ? sent.id : id;
}

function batchAnswer(outcomes: readonly PutOutcome[]): Answer {
  const errors = outcomes.flatMap((each) =>
    each.kind === "rejected" ? [{ message: each.reason }] : [],
  );
  if (errors.length === 0) return answer(202, { message: "Accepted" });
  const counts = { accepted: outcomes.length - errors.length, rejected: errors.length };
  return answer(207, { ...counts, errors });
}

function ingestionRoute(options: ScoreRouteOptions): Route {
  return route({
    method: "POST",
    path: "/api/public/ingestion",
    access: ["score", "evaluate"],
    clients: "any",
    id: "putLangfuseEvents",
    tag: "observability",
    summary: "Judge spans, as with older SDKs of Langfuse",
    description:
      "Takes a batch of events, as SDKs of Langfuse before version 5 send scores. Events of the type `score-create` are stored; each other is an error in the answer, which names it by its id. Spans are sent to `/api/public/otel/v1/traces`.",
    requestBody: {
      [JSON_TYPE]: {
        type: "object",
        required: ["batch"],
        examples: [{ batch: [{ id: "e1", type: "score-create", body: EXAMPLE }] }],
      },
    },
    success: {
      status: 207,
      description: "What became of each event.",
      body: { [JSON_TYPE]: { type: "object", required: ["successes", "errors"] } },
    },
    errors: SCORE_ERRORS,
    answer: async ({ incoming, caller }) => {
      const body = await bodyOf(incoming, caller, (value) =>
        isRecord(value) && Array.isArray(value.batch) ? value.batch : undefined,
      );
      if ("kind" in body) return body;
      const outcomes = await putForeignScores(body.items.map(readEvent), caller, options);
      if (outcomes === undefined) return unavailable();
      const successes: object[] = [];
      const errors: object[] = [];
      for (const [n, outcome] of outcomes.entries()) {
        const event = body.items[n];
        const id = isRecord(event) && typeof event.id === "string" ? event.id : "";
        if (outcome.kind === "stored") successes.push({ id, status: 201 });
        else errors.push({ id, status: 400, message: outcome.reason, error: outcome.reason });
      }
      return answer(207, { successes, errors });
    },
  });
}

function readEvent(event: unknown) {
  if (isRecord(event) && event.type === "score-create") return readLangfuseScore(event.body);
  return rejected(
    "Agate takes scores here, and spans at /api/public/otel/v1/traces: use an SDK of Langfuse that exports OpenTelemetry (Python 3, JS 4, or later).",
  );
}

function projectsRoute(projects: Registry["projects"]): Route {
  return route({
    method: "GET",
    path: "/api/public/projects",
    access: ["ingest", "score", "evaluate", "read"],
    clients: "any",
    id: "listLangfuseProjects",
    tag: "access",
    summary: "The caller's project, as Langfuse says it",
    description:
      "For `auth_check()` of Langfuse's SDKs, with which programs find out whether their keys are right.",
    success: {
      status: 200,
      description: "A list of one project.",
      body: { [JSON_TYPE]: { type: "object", required: ["data"] } },
    },
    errors: [],
    answer: async ({ caller: { project } }) => {
      const found = await projects.get(project);
      const name = found.kind === "refused" ? project : found.value.slug;
      const organization = { id: "agate", name: "Agate" };
      return answer(200, { data: [{ id: project, name, organization, metadata: {} }] });
    },
  });
}
