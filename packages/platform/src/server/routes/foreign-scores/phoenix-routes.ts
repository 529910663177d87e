import { isRecord } from "@agate/protocol";
import { JSON_TYPE, problemAnswer } from "../../answer.ts";
import type { Route } from "../../route.ts";
import { route } from "../../route.ts";
import type { ScoreRouteOptions } from "../scores.ts";
import { putForeignScores } from "./put-foreign-scores.ts";
import { readPhoenixAnnotation } from "./read-phoenix-annotation.ts";
import { answer, bodyOf, SCORE_ERRORS, unavailable } from "./score-exchange.ts";

const EXAMPLES = {
  span: { span_id: "eee19b7ec3c1b174" },
  trace: { trace_id: "5b8efff798038103d269b633813fc60c" },
};

/** Where Phoenix's clients send annotations. */
export function phoenixRoutes(options: ScoreRouteOptions): readonly Route[] {
  return [annotationsRoute("span", options), annotationsRoute("trace", options)];
}

function annotationsRoute(of: "span" | "trace", options: ScoreRouteOptions): Route {
  const result = { score: 0.8, label: "helpful" };
  const example = { ...EXAMPLES[of], name: "helpful", annotator_kind: "CODE", result };
  return route({
    method: "POST",
    path: `/v1/${of}_annotations`,
    access: ["score", "evaluate"],
    clients: "any",
    id: of === "span" ? "putPhoenixSpanAnnotations" : "putPhoenixTraceAnnotations",
    tag: "observability",
    summary: `Judge ${of}s, as with Phoenix`,
    description: `Takes annotations of ${of}s as clients of Phoenix send them: \`result\` has the value (\`score\`), the label and the explanation. The same name and identifier replace the one before.${of === "span" ? " Spans must be there already, as an annotation does not name the trace." : ""} If one cannot be stored, the answer is an error, and the others are stored.`,
    requestBody: {
      [JSON_TYPE]: { type: "object", required: ["data"], examples: [{ data: [example] }] },
    },
    success: {
      status: 200,
      description: "The ids of the scores.",
      body: { [JSON_TYPE]: { type: "object", required: ["data"] } },
    },
    errors: [...SCORE_ERRORS, "span_not_found"],
    answer: async ({ incoming, caller }) => {
      const body = await bodyOf(incoming, caller, (value) =>
        isRecord(value) && Array.isArray(value.data) ? value.data : undefined,
      );
      if ("kind" in body) return body;
      const given = body.items.map((item) => readPhoenixAnnotation(item, of));
      const outcomes = await putForeignScores(given, caller, options);
      if (outcomes === undefined) return unavailable();
      const failed = outcomes.findIndex(({ kind }) => kind === "rejected");
      const first = outcomes[failed];
      if (first?.kind === "rejected") {
        const type = first.isMissing === true ? "span_not_found" : "body_invalid";
        return problemAnswer({ type, loc: ["body", "data", failed], msg: first.reason });
      }
      const data = outcomes.flatMap((each) => (each.kind === "stored" ? [{ id: each.id }] : []));
      return answer(200, { data });
    },
  });
}
