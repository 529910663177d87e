import type { RevisionRef } from "@agate/protocol";
import { parseRevisionRef } from "@agate/protocol";
import type { Registry } from "../../../registry/registry.ts";
import { quoted } from "../../query/parameter-kinds.ts";
import type { QueryParameter } from "../../query/query-parameter.ts";
import type { Route } from "../route.ts";
import { documentAnswer, documented, outcomeAnswer } from "./registry-answer.ts";
import { registryRoute } from "./registry-route.ts";

function refParameter(name: string, description: string, example: string) {
  return {
    name,
    description: `${description} \`default\` is the latest of a variant, \`default@3\` one revision, \`env:production\` what is live in an environment.`,
    required: true,
    schema: { type: "string", examples: [example] },
    parse: (text) => {
      const ref = parseRevisionRef(text);
      return ref !== undefined
        ? { kind: "value", value: ref }
        : {
            kind: "problem",
            type: "value_not_allowed",
            msg: `Takes a variant (default), a revision of one (default@3) or an environment (env:production), not ${quoted(text)}.`,
          };
    },
  } as const satisfies QueryParameter<RevisionRef>;
}

export function diffRoutes({ revisions }: Registry, maxBodyBytes: number): Route[] {
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: "/registry/applications/{app}/diff",
      access: "read",
      id: "diffRevisions",
      summary: "Compare two revisions",
      description: "Per route and field; what is the same is left out.",
      query: {
        from: refParameter("from", "The one before.", "default@2"),
        to: refParameter("to", "The one after.", "default@3"),
      },
      success: documented("ConfigDiff", "How they differ."),
      errors: [
        "variant_not_found",
        "revision_not_found",
        "environment_not_found",
        "deployment_not_found",
      ],
      answer: async ({ ref, query }) =>
        outcomeAnswer(await revisions.diff(ref, query.from, query.to), documentAnswer),
    }),
  ];
}
