import type { RevisionRef } from "@agate/protocol";
import { mustBe, parseRevisionRef, shownValue } from "@agate/protocol";
import * as z from "zod/mini";
import type { Registry } from "../../../registry/registry.ts";
import { json, name, orNull, parsed, wholeNumber } from "../../inputs/input-kinds.ts";
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
  revision,
  slug,
} from "./registry-route.ts";

const VARIANT = "/registry/applications/{app}/variants/{variant}";

const commitBody = () =>
  z.strictObject({
    params: json(
      {
        description: "Path of a route to its configuration.",
        example: { "/summarize": { temperature: 0.2 } },
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
    environment: orNull(
      name({ description: "Slug or id of the environment whose code it is for." }),
    ),
    message: message(),
  });

function refInput(description: string, example: string) {
  return parsed(
    {
      description: `${description} \`default\` is the latest of a variant, \`default@3\` one revision, \`env:production\` what is live in an environment.`,
      example,
    },
    {},
    (given) => {
      const value: RevisionRef | undefined = parseRevisionRef(given);
      if (value !== undefined) return { kind: "value", value };
      const msg = mustBe(
        "a variant (default), a revision of one (default@3) or an environment (env:production)",
        shownValue(given),
      );
      return { kind: "problem", type: "value_not_allowed", msg };
    },
  );
}

/** The revisions of a variant: listing, committing, reading, comparing and forking them. */
export function revisionRoutes(registry: Registry, maxBodyBytes: number): Route[] {
  const { revisions } = registry;
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: `${VARIANT}/revisions`,
      access: "read",
      id: "listRevisions",
      summary: "List the revisions of a variant",
      description: "Newest first, without their parameters.",
      query: () => pageQuery("revisions"),
      success: success("RevisionList", "One page. `next_cursor` is null on the last."),
      errors: ["cursor_invalid"],
      answer: async ({ ref, params, query }, reply) =>
        outcomeAnswer(await revisions.list(ref, params.variant, pageRequest(query)), (page) =>
          reply(pageOf("revisions", page)),
        ),
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${VARIANT}/revisions`,
      access: "admin",
      // A revision is live nowhere before it is deployed.
      limitedKeys: "allowed",
      id: "commitRevision",
      summary: "Commit a revision",
      description:
        "Adds a revision to the variant; it never changes afterwards. Fields that it does not set get the default that the code has now, so that later code does not change them. Refused if a newer revision exists, or if the schema forbids a value: of the build that is live in `environment`, or without it, of the default environment or the newest.",
      body: commitBody,
      success: created("Revision", "The revision."),
      errors: ["revision_stale", "params_invalid", "environment_not_found"],
      answer: async ({ ref, params: { app, variant }, body, caller }, reply) => {
        const commit = {
          params: body.params,
          baseRevision: body.base_revision,
          environment: body.environment,
          by: caller.name,
          message: body.message ?? "",
        };
        return outcomeAnswer(await revisions.commit(ref, variant, commit), (made) => {
          const number = String(made.variant.revision);
          return reply(made, locationOf(app, "variants", variant, "revisions", number));
        });
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: `${VARIANT}/revisions/{revision}`,
      access: "read",
      id: "getRevision",
      summary: "Get a revision",
      success: success("Revision", "The revision with its parameters."),
      errors: ["number_invalid", "out_of_range"],
      answer: async ({ ref, params }, reply) =>
        outcomeAnswer(await revisions.get(ref, params.variant, params.revision), reply),
    }),
  ];
}

export function forkRoute({ variants }: Registry, maxBodyBytes: number): Route {
  return registryRoute(maxBodyBytes, {
    method: "POST",
    path: `${VARIANT}/fork`,
    access: "admin",
    limitedKeys: "allowed",
    id: "forkVariant",
    summary: "Fork a variant",
    description: "Makes a variant whose revision 1 has the parameters of a revision of this one.",
    body: () => z.strictObject({ slug: slug(), revision: revision(), message: message() }),
    success: created("RegistryVariant", "The new variant."),
    errors: ["revision_not_found", "slug_invalid", "slug_taken"],
    answer: async ({ ref, params, body, caller }, reply) => {
      const source = { variant: params.variant, revision: body.revision };
      const authorship = { by: caller.name, message: body.message ?? "" };
      return outcomeAnswer(await variants.fork(ref, source, body.slug, authorship), (made) =>
        reply(made, locationOf(params.app, "variants", made.slug)),
      );
    },
  });
}

export function diffRoute({ revisions }: Registry, maxBodyBytes: number): Route {
  return registryRoute(maxBodyBytes, {
    method: "GET",
    path: "/registry/applications/{app}/diff",
    access: "read",
    id: "diffRevisions",
    summary: "Compare two revisions",
    description: "Per route and field; what is the same is left out.",
    query: () =>
      z.object({
        from: refInput("The one before.", "default@2"),
        to: refInput("The one after.", "default@3"),
      }),
    success: success("ConfigDiff", "How they differ."),
    errors: [
      "variant_not_found",
      "revision_not_found",
      "environment_not_found",
      "deployment_not_found",
    ],
    answer: async ({ ref, query }, reply) =>
      outcomeAnswer(await revisions.diff(ref, query.from, query.to), reply),
  });
}
