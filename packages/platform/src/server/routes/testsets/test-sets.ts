import * as z from "zod/mini";
import type { TestSets } from "../../../registry/testsets/test-sets.ts";
import { documented, name, orNull, text } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { created, noContent, success } from "../../route.ts";
import { outcomeAnswer, registryRoute, slug } from "../registry/registry-route.ts";

export const TEST_SETS = "/registry/testsets";
export const TEST_SET = "/registry/testsets/{testset}";

/** Who may read test sets, and who may write them. */
export const READS = ["read", "evaluate"] as const;
export const WRITES = "evaluate";

/** The header of a 201. @param names The segments of the path where the new thing is found. */
export function testSetLocation(...names: readonly string[]) {
  return { location: [TEST_SETS, ...names.map(encodeURIComponent)].join("/") };
}

const binding = () =>
  documented(
    z.strictObject({
      application: name({ description: "Slug or id of the application.", example: "support" }),
      route: name({
        description: "Its path as declared; the entrypoint is `/`.",
        example: "/answer",
      }),
    }),
    {
      description: "The route that its rows are inputs of: they are checked when they are written.",
    },
  );

const description = () =>
  text({ description: "What it is for.", example: "Tickets answered well" });

/** Test sets themselves: what there is, its name, and the route that it is bound to. */
export function testSetRoutes(testSets: TestSets, maxBodyBytes: number): Route[] {
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: TEST_SETS,
      tag: "testsets",
      access: READS,
      id: "listTestSets",
      summary: "List test sets",
      success: success("TestSetList", "All of the project, by slug."),
      answer: async ({ caller }, reply) => reply({ items: await testSets.list(caller.project) }),
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: TEST_SETS,
      tag: "testsets",
      access: WRITES,
      id: "createTestSet",
      summary: "Create a test set",
      description: "It has no rows yet: the first are committed on top of `base_revision` 0.",
      body: () =>
        z.strictObject({
          slug: slug(),
          description: orNull(description()),
          bound_to: orNull(binding()),
        }),
      success: created("TestSet", "The test set."),
      errors: [
        "slug_invalid",
        "slug_taken",
        "application_not_found",
        "schema_not_found",
        "test_set_invalid",
        "project_not_found",
      ],
      answer: async ({ caller, body }, reply) => {
        const made = {
          slug: body.slug,
          description: body.description ?? "",
          boundTo: body.bound_to,
        };
        return outcomeAnswer(await testSets.create(caller.project, made, caller.name), (testSet) =>
          reply(testSet, testSetLocation(testSet.slug)),
        );
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: TEST_SET,
      tag: "testsets",
      access: READS,
      id: "getTestSet",
      summary: "Get a test set",
      success: success("TestSet", "The test set."),
      answer: async ({ caller, params }, reply) =>
        outcomeAnswer(await testSets.get(caller.project, params.testset), reply),
    }),
    updateRoute(testSets, maxBodyBytes),
    registryRoute(maxBodyBytes, {
      method: "DELETE",
      path: TEST_SET,
      tag: "testsets",
      access: "admin",
      id: "deleteTestSet",
      summary: "Delete a test set",
      description: "With its revisions and rows, for good.",
      success: noContent("It is gone."),
      answer: async ({ caller, params }, reply) =>
        outcomeAnswer(await testSets.delete(caller.project, params.testset), () => reply()),
    }),
  ];
}

function updateRoute(testSets: TestSets, maxBodyBytes: number): Route {
  return registryRoute(maxBodyBytes, {
    method: "PATCH",
    path: TEST_SET,
    tag: "testsets",
    access: WRITES,
    id: "updateTestSet",
    summary: "Change a test set",
    description:
      "Renames it, describes it, or binds it to a route: `bound_to` null unbinds it. Fields that are left out stay. The rows that it has are not checked against the route until they are written again or run.",
    body: () =>
      z.strictObject({
        slug: z.optional(slug()),
        description: z.optional(description()),
        bound_to: z.optional(z.nullable(binding())),
      }),
    success: success("TestSet", "The test set, as it is now."),
    errors: [
      "slug_invalid",
      "slug_taken",
      "application_not_found",
      "schema_not_found",
      "test_set_invalid",
      "project_not_found",
    ],
    answer: async ({ caller, params, body }, reply) => {
      const { bound_to: boundTo, ...change } = body;
      const changed = { ...change, ...("bound_to" in body && { boundTo }) };
      return outcomeAnswer(await testSets.update(caller.project, params.testset, changed), reply);
    },
  });
}
