import type { Project } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import * as z from "zod/mini";
import type { Caller } from "../../../access/caller.ts";
import type { Projects } from "../../../registry/registry.ts";
import type { RegistryOutcome } from "../../../registry/registry-outcome.ts";
import { refused } from "../../../registry/registry-outcome.ts";
import type { SpanStore } from "../../../stores/span-store.ts";
import { problemsAnswer } from "../../answer.ts";
import { name, newSlug } from "../../inputs/input-kinds.ts";
import type { Route } from "../../route.ts";
import { noContent, route, success } from "../../route.ts";
import { outcomeAnswer } from "../registry/registry-route.ts";

export interface ProjectRouteOptions {
  readonly projects: Projects;
  readonly store: SpanStore;
  /** Lets requests know the projects and keys that there are now. */
  readonly reloadAccess: () => Promise<void>;
}

const PATH = "/registry/projects";
const ONE = `${PATH}/{project}`;

const projectParams = () =>
  z.object({ project: name({ description: "Slug or id of the project.", example: "default" }) });

const slugBody = () =>
  z.strictObject({
    slug: newSlug({ description: "What it is called in commands.", example: "search-team" }),
  });

/** `/registry/projects`: listing, creating, renaming and deleting them. */
export function projectRoutes(options: ProjectRouteOptions): readonly Route[] {
  return [
    listRoute(options),
    createRoute(options),
    readRoute(options),
    renameRoute(options),
    deleteRoute(options),
  ];
}

function listRoute({ projects }: ProjectRouteOptions): Route {
  return route({
    method: "GET",
    path: PATH,
    access: "admin",
    id: "listProjects",
    tag: "access",
    summary: "List projects",
    description: "With a key: the key's own project.",
    success: success("ProjectList", "By slug."),
    errors: [],
    answer: async ({ caller }, reply) => {
      const all = await projects.list();
      return reply({ items: all.filter(({ id }) => caller.isOperator || id === caller.project) });
    },
  });
}

function createRoute({ projects, reloadAccess }: ProjectRouteOptions): Route {
  return route({
    method: "POST",
    path: PATH,
    access: "operator",
    id: "createProject",
    tag: "access",
    summary: "Create a project",
    description: "Only without a key, on the machine that the server runs on.",
    body: slugBody,
    success: { ...success("Project", "The project."), status: 201 },
    errors: ["slug_invalid", "slug_taken", "store_unavailable"],
    answer: async ({ body }, reply) => {
      const outcome = await projects.create(body.slug);
      if (outcome.kind === "done") await reloadAccess();
      return outcomeAnswer(outcome, reply);
    },
  });
}

function readRoute({ projects }: ProjectRouteOptions): Route {
  return route({
    method: "GET",
    path: ONE,
    access: "admin",
    id: "getProject",
    tag: "access",
    summary: "Get a project",
    params: projectParams,
    success: success("Project", "The project."),
    errors: ["project_not_found"],
    answer: async ({ caller, params }, reply) =>
      outcomeAnswer(await visibleProject(projects, caller, params.project), reply),
  });
}

function renameRoute({ projects, reloadAccess }: ProjectRouteOptions): Route {
  return route({
    method: "PATCH",
    path: ONE,
    access: "operator",
    id: "renameProject",
    tag: "access",
    summary: "Rename a project",
    description: "Its id stays, and so do its keys.",
    params: projectParams,
    body: slugBody,
    success: success("Project", "The project."),
    errors: ["project_not_found", "slug_invalid", "slug_taken", "store_unavailable"],
    answer: async ({ params, body }, reply) => {
      const outcome = await projects.rename(params.project, body.slug);
      if (outcome.kind === "done") await reloadAccess();
      return outcomeAnswer(outcome, reply);
    },
  });
}

function deleteRoute({ projects, store, reloadAccess }: ProjectRouteOptions): Route {
  return route({
    method: "DELETE",
    path: ONE,
    access: "operator",
    id: "deleteProject",
    tag: "access",
    summary: "Delete a project",
    description:
      "With its keys. A project that has applications or traces is not deleted, and neither is the default one.",
    params: projectParams,
    success: noContent("The project is gone."),
    errors: ["project_not_found", "not_empty", "store_unavailable"],
    answer: async ({ params: { project } }, reply) => {
      const outcome =
        (await refusalForTraces(projects, store, project)) ?? (await projects.delete(project));
      if (outcome.kind === "refused") return problemsAnswer(outcome.problems);
      await reloadAccess();
      return reply();
    },
  });
}

/**
 * A key sees its own project only. Others are not looked up: the registry's answer would name
 * projects with similar names.
 */
async function visibleProject(
  projects: Projects,
  caller: Caller,
  named: string,
): Promise<RegistryOutcome<Project>> {
  if (caller.isOperator) return projects.get(named);
  const own = await projects.get(caller.project);
  const isOwn = own.kind === "done" && (own.value.id === named || own.value.slug === named);
  return isOwn
    ? own
    : refused({
        type: "project_not_found",
        loc: ["path", "project"],
        msg: `There is no project ${shownValue(named)}.`,
      });
}

/**
 * The traces of a deleted project could be neither read nor deleted. Spans that arrive between this
 * check and the deletion stay behind unseen until retention deletes them.
 */
async function refusalForTraces(projects: Projects, store: SpanStore, named: string) {
  const found = await projects.get(named);
  if (found.kind === "refused") return found;
  const { id, slug } = found.value;
  const { items } = await store.listTraces({ project: id, filter: {}, limit: 1, after: null });
  if (items.length === 0) return undefined;
  return refused({
    type: "not_empty",
    loc: ["path", "project"],
    msg: `${shownValue(slug)} has traces. Delete them first, or wait until retention has.`,
  });
}
