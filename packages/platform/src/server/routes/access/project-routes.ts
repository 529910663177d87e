import type { Project } from "@agate/protocol";
import type { Caller } from "../../../access/caller.ts";
import type { Projects } from "../../../registry/registry.ts";
import type { RegistryOutcome } from "../../../registry/registry-outcome.ts";
import { refused } from "../../../registry/registry-outcome.ts";
import type { SpanStore } from "../../../stores/span-store.ts";
import type { Answer } from "../../answer.ts";
import { JSON_TYPE, jsonAnswer } from "../../answer.ts";
import { fieldsSchema } from "../../body/body-fields.ts";
import { nameField } from "../../body/field-kinds.ts";
import { JSON_BODY_ERRORS, readBodyFields } from "../../body/read-body-fields.ts";
import { problemsAnswer } from "../../errors/error-answer.ts";
import { quoted } from "../../query/parameter-kinds.ts";
import type { PathParameterDoc, Route, RouteRequest } from "../route.ts";
import { callerOf } from "../route.ts";
import { MOST_BYTES } from "./most-bytes.ts";

export interface ProjectRouteOptions {
  readonly projects: Projects;
  readonly store: SpanStore;
  /** Lets requests know the projects and keys that there are now. */
  readonly reloadAccess: () => Promise<void>;
}

const PATH = "/registry/projects";
const ONE = `${PATH}/{project}`;

const PARAMETER: PathParameterDoc = {
  description: "Slug or id of the project.",
  schema: { type: "string", examples: ["default"] },
};

const SLUG_FIELDS = {
  slug: nameField({ description: "What it is called in commands.", example: "search-team" }),
};
const SLUG_BODY = { [JSON_TYPE]: { schema: fieldsSchema(SLUG_FIELDS) } };
const PROJECT_BODY = { [JSON_TYPE]: { schema: "Project" } };

/** `/registry/projects`: listing, making, renaming and deleting them. */
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
  return {
    method: "GET",
    path: PATH,
    access: "admin",
    operation: {
      id: "listProjects",
      tag: "access",
      summary: "List projects",
      description: "With a key: the key's own project.",
      success: {
        status: 200,
        description: "By slug.",
        body: { [JSON_TYPE]: { schema: "ProjectList" } },
      },
      errors: [],
    },
    handle: async (request) => {
      const caller = callerOf(request);
      const all = await projects.list();
      const items = all.filter(({ id }) => caller.isOperator || id === caller.project);
      return jsonAnswer(JSON.stringify({ items }));
    },
  };
}

function createRoute({ projects, reloadAccess }: ProjectRouteOptions): Route {
  return {
    method: "POST",
    path: PATH,
    access: "operator",
    operation: {
      id: "createProject",
      tag: "access",
      summary: "Make a project",
      description: "Only without a key, on the machine that the server runs on.",
      requestBody: SLUG_BODY,
      success: { status: 201, description: "The project.", body: PROJECT_BODY },
      errors: [
        ...JSON_BODY_ERRORS,
        "body_invalid",
        "slug_invalid",
        "slug_taken",
        "store_unavailable",
      ],
    },
    handle: async (request) => {
      const body = await readBodyFields(request, SLUG_FIELDS, MOST_BYTES);
      if (body.kind === "problems") return problemsAnswer(body.problems);
      const outcome = await projects.create(body.values.slug);
      if (outcome.kind === "done") await reloadAccess();
      return outcomeAnswer(outcome, 201);
    },
  };
}

function readRoute({ projects }: ProjectRouteOptions): Route {
  return {
    method: "GET",
    path: ONE,
    access: "admin",
    operation: {
      id: "getProject",
      tag: "access",
      summary: "Get a project",
      pathParameters: { project: PARAMETER },
      success: { status: 200, description: "The project.", body: PROJECT_BODY },
      errors: ["project_not_found"],
    },
    handle: async (request) =>
      outcomeAnswer(await visibleProject(projects, callerOf(request), nameIn(request))),
  };
}

function renameRoute({ projects, reloadAccess }: ProjectRouteOptions): Route {
  return {
    method: "PATCH",
    path: ONE,
    access: "operator",
    operation: {
      id: "renameProject",
      tag: "access",
      summary: "Rename a project",
      description: "Its id stays, and so do its keys.",
      pathParameters: { project: PARAMETER },
      requestBody: SLUG_BODY,
      success: { status: 200, description: "The project.", body: PROJECT_BODY },
      errors: [
        ...JSON_BODY_ERRORS,
        "body_invalid",
        "project_not_found",
        "slug_invalid",
        "slug_taken",
        "store_unavailable",
      ],
    },
    handle: async (request) => {
      const body = await readBodyFields(request, SLUG_FIELDS, MOST_BYTES);
      if (body.kind === "problems") return problemsAnswer(body.problems);
      const outcome = await projects.rename(nameIn(request), body.values.slug);
      if (outcome.kind === "done") await reloadAccess();
      return outcomeAnswer(outcome);
    },
  };
}

function deleteRoute({ projects, store, reloadAccess }: ProjectRouteOptions): Route {
  return {
    method: "DELETE",
    path: ONE,
    access: "operator",
    operation: {
      id: "deleteProject",
      tag: "access",
      summary: "Delete a project",
      description:
        "With its keys. A project that has applications or traces is not deleted, and neither is the default one.",
      pathParameters: { project: PARAMETER },
      success: { status: 204, description: "The project is gone." },
      errors: ["project_not_found", "not_empty", "store_unavailable"],
    },
    handle: async (request) => {
      const name = nameIn(request);
      const outcome =
        (await refusalForTraces(projects, store, name)) ?? (await projects.delete(name));
      if (outcome.kind === "refused") return problemsAnswer(outcome.problems);
      await reloadAccess();
      return { kind: "full", status: 204, contentType: null, body: "" };
    },
  };
}

/**
 * With a key, another's project is not there. It is not looked up: the registry's answer names
 * projects that are called alike.
 */
async function visibleProject(
  projects: Projects,
  caller: Caller,
  name: string,
): Promise<RegistryOutcome<Project>> {
  if (caller.isOperator) return projects.get(name);
  const own = await projects.get(caller.project);
  const isOwn = own.kind === "done" && (own.value.id === name || own.value.slug === name);
  return isOwn
    ? own
    : refused({
        type: "project_not_found",
        loc: ["path", "project"],
        msg: `There is no project ${quoted(name)}.`,
      });
}

/**
 * Nobody could see its traces any more, or delete them. Spans that arrive between this look and the
 * deletion stay behind unseen until retention takes them.
 */
async function refusalForTraces(projects: Projects, store: SpanStore, name: string) {
  const found = await projects.get(name);
  if (found.kind === "refused") return found;
  const { id, slug } = found.value;
  const { items } = await store.listTraces({ project: id, filter: {}, limit: 1, after: null });
  if (items.length === 0) return undefined;
  return refused({
    type: "not_empty",
    loc: ["path", "project"],
    msg: `${quoted(slug)} has traces. Delete them first, or wait until retention has.`,
  });
}

function nameIn(request: RouteRequest): string {
  return request.params.project ?? "";
}

function outcomeAnswer(outcome: RegistryOutcome<Project>, status = 200): Answer {
  if (outcome.kind === "refused") return problemsAnswer(outcome.problems);
  return { ...jsonAnswer(JSON.stringify(outcome.value)), status };
}
