import type { Registry } from "../../../registry/registry.ts";
import { jsonField, wholeNumberField } from "../../body/field-kinds.ts";
import { problemAnswer } from "../../errors/error-answer.ts";
import type { Parsed } from "../../query/query-parameter.ts";
import type { Route } from "../route.ts";
import { MESSAGE } from "./body-fields.ts";
import { encodePageCursor, pageParameters, pageRequest } from "./page-parameters.ts";
import {
  createdAnswer,
  documentAnswer,
  documented,
  documentedCreation,
  outcomeAnswer,
  pageAnswer,
} from "./registry-answer.ts";
import { registryRoute } from "./registry-route.ts";
import { parseRevisionNumber } from "./revision-number.ts";

const ALL = "/registry/applications/{app}/variants/{variant}/revisions";

const PARAMS = jsonField(
  {
    description: "Path of a route to its configuration.",
    example: { "/summarize": { temperature: 0.2 } },
  },
  { type: "object", additionalProperties: { type: "object" } },
);

const BASE_REVISION = wholeNumberField(
  {
    description: "The latest revision, which this one is made from; 0 where there is none.",
    example: 2,
  },
  0,
);

export function revisionRoutes({ revisions }: Registry, maxBodyBytes: number): Route[] {
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: ALL,
      access: "read",
      id: "listRevisions",
      summary: "List the revisions of a variant",
      description: "Newest first, without their parameters.",
      query: pageParameters("revisions"),
      success: documented("RevisionList", "One page. `next_cursor` is null on the last."),
      errors: ["cursor_invalid"],
      answer: async ({ ref, path, query }) =>
        outcomeAnswer(await revisions.list(ref, path.variant, pageRequest(query)), (page) =>
          pageAnswer(page, (before) => encodePageCursor("revisions", before)),
        ),
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: ALL,
      access: "admin",
      id: "commitRevision",
      summary: "Commit a revision",
      description:
        "Adds a revision to the variant; it never changes afterwards. Refused if somebody committed meanwhile, or if the application's schema forbids a value.",
      body: { params: PARAMS, base_revision: BASE_REVISION, message: MESSAGE },
      success: documentedCreation("Revision", "The revision."),
      errors: ["revision_stale", "params_invalid"],
      answer: async ({ ref, path, body, caller }) => {
        const { params, base_revision: baseRevision, message } = body;
        const commit = { params, baseRevision, by: caller.name, message: message ?? "" };
        return outcomeAnswer(await revisions.commit(ref, path.variant, commit), (made) =>
          createdAnswer(
            made,
            path.app,
            "variants",
            path.variant,
            "revisions",
            String(made.variant.revision),
          ),
        );
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: `${ALL}/{revision}`,
      access: "read",
      id: "getRevision",
      summary: "Get a revision",
      success: documented("Revision", "The revision with its parameters."),
      errors: ["number_invalid", "out_of_range"],
      answer: async ({ ref, path }) => {
        const revision = readRevision(path.revision);
        if (revision.kind === "problem") {
          const { type, msg } = revision;
          return problemAnswer({ type, msg, loc: ["path", "revision"] });
        }
        const outcome = await revisions.get(ref, path.variant, revision.value);
        return outcomeAnswer(outcome, documentAnswer);
      },
    }),
  ];
}

/** Null is the latest. */
function readRevision(text: string): Parsed<number | null> {
  return text === "latest" ? { kind: "value", value: null } : parseRevisionNumber(text);
}
