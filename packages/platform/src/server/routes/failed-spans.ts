import type { SpanStore } from "../../stores/span-store.ts";
import { parseTraceId } from "../../traces/span-ids.ts";
import { JSON_TYPE, jsonAnswer } from "../answer.ts";
import { problemsAnswer } from "../errors/error-answer.ts";
import { quoted } from "../query/parameter-kinds.ts";
import type { QueryParameter } from "../query/query-parameter.ts";
import { readQuery } from "../query/query-parameter.ts";
import type { Route } from "./route.ts";
import { callerOf, goneSignal } from "./route.ts";

/** As many as fit into an address that every proxy takes. */
const MOST_TRACES = 100;

const TRACE_IDS: QueryParameter<readonly string[]> = {
  name: "trace_ids",
  description: `Ids of up to ${MOST_TRACES} traces, separated by commas.`,
  schema: { type: "string", examples: ["5b8efff798038103d269b633813fc60c"] },
  parse: (text) => {
    const texts = text.split(",");
    if (texts.length > MOST_TRACES) {
      const msg = `Takes at most ${MOST_TRACES} ids (got ${texts.length}).`;
      return { kind: "problem", type: "out_of_range", msg };
    }
    const value: string[] = [];
    for (const each of texts) {
      const id = parseTraceId(each);
      if (id === undefined) {
        const msg = `An id is 1 to 128 characters from A-Z, a-z, 0-9, _ and -, not ${quoted(each)}.`;
        return { kind: "problem", type: "id_invalid", msg };
      }
      value.push(id);
    }
    return { kind: "value", value };
  },
};

const PARAMETERS = { traceIds: TRACE_IDS };

/** How many spans failed in the traces of a list, whose tops may be fine. */
export function failedSpansRoute(store: SpanStore): Route {
  return {
    method: "GET",
    path: "/observability/failed-spans/",
    access: "read",
    operation: {
      id: "countFailedSpans",
      tag: "observability",
      summary: "Count the failed spans of traces",
      description:
        "Traces without a failed span, that are not there, or of more than 2,000 spans are left out.",
      query: PARAMETERS,
      success: {
        status: 200,
        description: "Counts by the id of the trace.",
        body: { [JSON_TYPE]: { schema: "FailedSpans" } },
      },
      errors: ["out_of_range", "id_invalid", "query_queue_full", "query_timeout"],
    },
    handle: async (request) => {
      const query = readQuery(PARAMETERS, new URLSearchParams(request.query));
      if (query.kind === "problems") return problemsAnswer(query.problems);
      const { traceIds = [] } = query.values;
      const { project } = callerOf(request);
      const failed = await store.countFailedSpans({ project, traceIds }, goneSignal(request));
      const counts = Object.fromEntries(failed.map(({ traceId, count }) => [traceId, count]));
      return jsonAnswer(JSON.stringify({ counts }));
    },
  };
}
