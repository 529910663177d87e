import type { Registry } from "../../../registry/registry.ts";
import type { Route } from "../route.ts";
import { MESSAGE, REVISION, SLUG } from "./body-fields.ts";
import {
  createdAnswer,
  documentAnswer,
  documented,
  documentedCreation,
  doneAnswer,
  listAnswer,
  outcomeAnswer,
} from "./registry-answer.ts";
import { registryRoute } from "./registry-route.ts";

const ALL = "/registry/applications/{app}/variants";
const ONE = "/registry/applications/{app}/variants/{variant}";

export function variantRoutes({ variants }: Registry, maxBodyBytes: number): Route[] {
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: ALL,
      access: "read",
      id: "listVariants",
      summary: "List variants",
      success: documented("VariantList", "All of the application, by slug."),
      answer: async ({ ref }) => outcomeAnswer(await variants.list(ref), listAnswer),
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: ALL,
      access: "admin",
      id: "createVariant",
      summary: "Make a variant",
      description: "It has no revision yet: the first is committed on top of `base_revision` 0.",
      body: { slug: SLUG },
      success: documentedCreation("RegistryVariant", "The variant."),
      errors: ["slug_invalid", "slug_taken"],
      answer: async ({ ref, path, body }) =>
        outcomeAnswer(await variants.create(ref, body.slug), (made) =>
          createdAnswer(made, path.app, "variants", made.slug),
        ),
    }),
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: ONE,
      access: "read",
      id: "getVariant",
      summary: "Get a variant",
      success: documented("RegistryVariant", "The variant."),
      answer: async ({ ref, path }) =>
        outcomeAnswer(await variants.get(ref, path.variant), documentAnswer),
    }),
    registryRoute(maxBodyBytes, {
      method: "PATCH",
      path: ONE,
      access: "admin",
      id: "renameVariant",
      summary: "Rename a variant",
      description: "Its id and its revisions stay, and so does what is deployed.",
      body: { slug: SLUG },
      success: documented("RegistryVariant", "The variant."),
      errors: ["slug_invalid", "slug_taken"],
      answer: async ({ ref, path, body }) =>
        outcomeAnswer(await variants.rename(ref, path.variant, body.slug), documentAnswer),
    }),
    registryRoute(maxBodyBytes, {
      method: "DELETE",
      path: ONE,
      access: "admin",
      id: "deleteVariant",
      summary: "Delete a variant",
      description: "With its revisions, for good. Refused while one of them is live.",
      success: { status: 204, description: "It is gone." },
      errors: ["still_live"],
      answer: async ({ ref, path }) =>
        outcomeAnswer(await variants.delete(ref, path.variant), doneAnswer),
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: `${ONE}/fork`,
      access: "admin",
      id: "forkVariant",
      summary: "Fork a variant",
      description: "Makes a variant whose revision 1 has the parameters of a revision of this one.",
      body: { slug: SLUG, revision: REVISION, message: MESSAGE },
      success: documentedCreation("RegistryVariant", "The new variant."),
      errors: ["revision_not_found", "slug_invalid", "slug_taken"],
      answer: async ({ ref, path, body, caller }) => {
        const source = { variant: path.variant, revision: body.revision };
        const authorship = { by: caller.name, message: body.message ?? "" };
        return outcomeAnswer(await variants.fork(ref, source, body.slug, authorship), (made) =>
          createdAnswer(made, path.app, "variants", made.slug),
        );
      },
    }),
  ];
}
