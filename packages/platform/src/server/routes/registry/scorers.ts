import * as z from "zod/mini";
import type { Registry } from "../../../registry/registry.ts";
import { json, wholeNumber } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { created, success } from "../../route.ts";
import {
  locationOf,
  message,
  outcomeAnswer,
  pageOf,
  pageQuery,
  pageRequest,
  registryRoute,
} from "./registry-route.ts";

const SCORERS = "/registry/applications/{app}/scorers";

const commitBody = () =>
  z.strictObject({
    configs: json(
      {
        description: "Name of a scorer to its configuration. What is left out has its default.",
        example: { helpful: { rubric: "Is the problem solved?" } },
      },
      { type: "object", additionalProperties: { type: "object" } },
    ),
    base_revision: wholeNumber(
      {
        description: "The latest revision, which this one is made from; 0 where there is none.",
        example: 2,
      },
      0,
    ),
    message: message(),
  });

/** The configurations of an application's scorers: listing, committing and reading their revisions. */
export function scorerRoutes({ scorers }: Registry, maxBodyBytes: number): Route[] {
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: SCORERS,
      access: "read",
      id: "listScorersRevisions",
      summary: "List the revisions of the scorers' configurations",
      description: "Newest first, without their configurations.",
      query: () => pageQuery("revisions"),
      success: success("ScorersRevisionList", "One page. `next_cursor` is null on the last."),
      errors: ["cursor_invalid"],
      answer: async ({ ref, query }, reply) =>
        outcomeAnswer(await scorers.list(ref, pageRequest(query)), (page) =>
          reply(pageOf("revisions", page)),
        ),
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: SCORERS,
      access: "admin",
      // Runs alone are pinned to a revision: it changes no environment.
      limitedKeys: "allowed",
      id: "commitScorersRevision",
      summary: "Commit configurations of scorers",
      description:
        "Adds a revision; it never changes afterwards, and runs are pinned to one. Refused if a newer revision exists. A run checks the values by the scorers' own fields before its first call.",
      body: commitBody,
      success: created("ScorersRevision", "The revision."),
      errors: ["revision_stale", "params_invalid"],
      answer: async ({ ref, params: { app }, body, caller }, reply) => {
        const commit = {
          configs: body.configs,
          baseRevision: body.base_revision,
          by: caller.name,
          message: body.message ?? "",
        };
        return outcomeAnswer(await scorers.commit(ref, commit), (made) =>
          reply(made, locationOf(app, "scorers", String(made.revision))),
        );
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: `${SCORERS}/{revision}`,
      access: "read",
      id: "getScorersRevision",
      summary: "Get a revision of the scorers' configurations",
      success: success("ScorersRevision", "The revision with its configurations."),
      errors: ["number_invalid", "out_of_range"],
      answer: async ({ ref, params }, reply) =>
        outcomeAnswer(await scorers.get(ref, params.revision), reply),
    }),
  ];
}
