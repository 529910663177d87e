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

const ALL = "/registry/applications/{app}/environments";
const ONE = "/registry/applications/{app}/environments/{environment}";

export function environmentRoutes({ environments }: Registry, maxBodyBytes: number): Route[] {
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: ALL,
      access: "read",
      id: "listEnvironments",
      summary: "List environments",
      description: "With what is live in each.",
      success: documented(
        "EnvironmentList",
        "All of the application, in the order that they were made.",
      ),
      answer: async ({ ref }) => outcomeAnswer(await environments.list(ref), listAnswer),
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path: ALL,
      access: "admin",
      id: "createEnvironment",
      summary: "Make an environment",
      body: { slug: SLUG },
      success: documentedCreation("Environment", "The environment."),
      errors: ["slug_invalid", "slug_taken"],
      answer: async ({ ref, path, body }) =>
        outcomeAnswer(await environments.create(ref, body.slug), (made) =>
          createdAnswer(made, path.app, "environments", made.slug),
        ),
    }),
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: ONE,
      access: "read",
      id: "getEnvironment",
      summary: "Get an environment",
      success: documented("Environment", "The environment, with what is live there."),
      answer: async ({ ref, path }) =>
        outcomeAnswer(await environments.get(ref, path.environment), documentAnswer),
    }),
    registryRoute(maxBodyBytes, {
      method: "PATCH",
      path: ONE,
      access: "admin",
      id: "renameEnvironment",
      summary: "Rename an environment",
      description: "Its id and its history stay. Calls that name it by its slug no longer find it.",
      body: { slug: SLUG },
      success: documented("Environment", "The environment."),
      errors: ["slug_invalid", "slug_taken"],
      answer: async ({ ref, path, body }) =>
        outcomeAnswer(await environments.rename(ref, path.environment, body.slug), documentAnswer),
    }),
    registryRoute(maxBodyBytes, {
      method: "DELETE",
      path: ONE,
      access: "admin",
      id: "deleteEnvironment",
      summary: "Delete an environment",
      description: "With its history, for good. Refused while something is live there.",
      success: { status: 204, description: "It is gone." },
      errors: ["still_live"],
      answer: async ({ ref, path }) =>
        outcomeAnswer(await environments.delete(ref, path.environment), doneAnswer),
    }),
  ];
}
