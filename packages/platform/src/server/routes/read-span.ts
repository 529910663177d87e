import type { SpanStore } from "../../stores/span-store.ts";
import { parseSpanId } from "../../traces/span-ids.ts";
import { JSON_TYPE } from "../answer.ts";
import type { Problem } from "../errors/error-answer.ts";
import { problemsAnswer } from "../errors/error-answer.ts";
import { choiceParameter } from "../query/parameter-kinds.ts";
import { badId, SPAN_ID_PARAMETER } from "./id-parameters.ts";
import type { Route } from "./route.ts";
import { callerOf, goneSignal } from "./route.ts";
import { answerTree } from "./tree-answer.ts";

const TYPE = choiceParameter(
  { name: "type", description: "`generation` is the only value so far, and the default." },
  ["generation"],
);

export function readSpanRoute(store: SpanStore): Route {
  return {
    method: "GET",
    path: "/observability/spans/{span_id}/",
    access: "read",
    operation: {
      id: "getSpan",
      tag: "observability",
      summary: "Get a span",
      description: "The span with everything below it.",
      pathParameters: { span_id: SPAN_ID_PARAMETER },
      query: { type: TYPE },
      success: {
        status: 200,
        description: "The span.",
        body: { [JSON_TYPE]: { schema: "SpanRecord" } },
      },
      errors: ["span_not_found", "id_invalid", "value_not_allowed", "query_queue_full"],
    },
    handle: (request) => {
      const text = request.params.span_id ?? "";
      const spanId = parseSpanId(text);
      const badType = checkType(new URLSearchParams(request.query).getAll("type").at(-1));
      if (spanId === undefined) {
        return problemsAnswer([badId("span_id", text), ...(badType ? [badType] : [])]);
      }
      if (badType !== undefined) return problemsAnswer([badType]);
      return answerTree(store, callerOf(request).project, { kind: "span", spanId }, () =>
        goneSignal(request),
      );
    },
  };
}

/** Stricter than a filter: `type=` names a type that does not exist. */
function checkType(text: string | undefined): Problem | undefined {
  const parsed = text === undefined ? undefined : TYPE.parse(text);
  if (parsed?.kind !== "problem") return undefined;
  return { type: parsed.type, loc: ["query", "type"], msg: parsed.msg };
}
