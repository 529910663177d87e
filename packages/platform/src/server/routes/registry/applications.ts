import type { Registry } from "../../../registry/registry.ts";
import type { Route } from "../route.ts";
import { SLUG } from "./body-fields.ts";
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

const ALL = "/registry/applications";
const ONE = "/registry/applications/{app}";

export function applicationRoutes({ applications }: Registry, maxBodyBytes: number): Route[] {
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: ALL,
      access: "read",
      id: "listApplications",
      summary: "List applications",
      success: documented("ApplicationList", "All of the project, by slug."),
      answer: async ({ caller }) => listAnswer(await applications.list(caller.project)),
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: ALL,
      access: "admin",
      id: "createApplication",
      summary: "Make an application",
      description: "With the environments `development`, `staging` and `production`.",
      body: { slug: SLUG },
      success: documentedCreation("Application", "The application."),
      errors: ["slug_invalid", "slug_taken"],
      answer: async ({ caller, body }) =>
        outcomeAnswer(await applications.create(caller.project, body.slug), (made) =>
          createdAnswer(made, made.slug),
        ),
    }),
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: ONE,
      access: "read",
      id: "getApplication",
      summary: "Get an application",
      success: documented("Application", "The application."),
      answer: async ({ ref }) => outcomeAnswer(await applications.get(ref), documentAnswer),
    }),
    registryRoute(maxBodyBytes, {
      method: "PATCH",
      path: ONE,
      access: "admin",
      id: "renameApplication",
      summary: "Rename an application",
      description: "Its id stays. Workflows that ask for it by its slug no longer find it.",
      body: { slug: SLUG },
      success: documented("Application", "The application."),
      errors: ["slug_invalid", "slug_taken"],
      answer: async ({ ref, body }) =>
        outcomeAnswer(await applications.rename(ref, body.slug), documentAnswer),
    }),
    registryRoute(maxBodyBytes, {
      method: "DELETE",
      path: ONE,
      access: "admin",
      id: "deleteApplication",
      summary: "Delete an application",
      description:
        "With its variants, revisions, environments and histories, for good. Its traces stay. Refused while anything of it is live.",
      success: { status: 204, description: "It is gone." },
      errors: ["still_live"],
      answer: async ({ ref }) => outcomeAnswer(await applications.delete(ref), doneAnswer),
    }),
  ];
}
