import type { Application, Environment, RegistryVariant } from "@agate/protocol";
import * as z from "zod/mini";
import type { ApplicationRef, Registry } from "../../../registry/registry.ts";
import { done, type RegistryOutcome } from "../../../registry/registry-outcome.ts";
import { documented } from "../../inputs/input-kinds.ts";
import type { ComponentValue } from "../../openapi/components.ts";
import type { Route } from "../../route.ts";
import { created, noContent, success } from "../../route.ts";
import { locationOf, outcomeAnswer, registryRoute, slug } from "./registry-route.ts";

type Item = Application | RegistryVariant | Environment;

/** A thing of the registry that has a slug: it is listed, created, read, renamed and deleted. */
interface Resource {
  /** As operation ids have it: `listApplications`, `getApplication`. */
  readonly name: "Application" | "Variant" | "Environment";
  readonly noun: string;
  readonly path: string;
  readonly parameter: "app" | "variant" | "environment";
  readonly component: "Application" | "RegistryVariant" | "Environment";
  readonly list: "ApplicationList" | "VariantList" | "EnvironmentList";
  readonly descriptions: {
    readonly list?: string;
    readonly listed: string;
    readonly create?: string;
    readonly found: string;
    readonly rename: string;
    readonly delete: string;
  };
  readonly actions: Actions;
}

/** @param of The application that it belongs to; of an application only the project counts. */
interface Actions {
  list(of: ApplicationRef): Promise<RegistryOutcome<readonly Item[]>>;
  create(of: ApplicationRef, slug: string): Promise<RegistryOutcome<Item>>;
  get(of: ApplicationRef, named: string): Promise<RegistryOutcome<Item>>;
  rename(of: ApplicationRef, named: string, slug: string): Promise<RegistryOutcome<Item>>;
  setPlayground?(of: ApplicationRef, named: string, isOn: boolean): Promise<RegistryOutcome<Item>>;
  delete(of: ApplicationRef, named: string): Promise<RegistryOutcome<Item>>;
}

function applications({ applications }: Registry): Resource {
  return {
    name: "Application",
    noun: "an application",
    path: "/registry/applications",
    parameter: "app",
    component: "Application",
    list: "ApplicationList",
    descriptions: {
      listed: "All of the project, by slug.",
      create: "With the environments `development`, `staging` and `production`.",
      found: "The application.",
      rename: "Its id stays. Workflows that ask for it by its slug no longer find it.",
      delete:
        "With its variants, revisions, environments and histories, for good. Its traces stay. Refused while anything of it is live.",
    },
    actions: {
      list: async ({ project }) => done(await applications.list(project)),
      create: ({ project }, slug) => applications.create(project, slug),
      get: ({ project }, application) => applications.get({ project, application }),
      rename: ({ project }, application, slug) =>
        applications.rename({ project, application }, slug),
      delete: ({ project }, application) => applications.delete({ project, application }),
    },
  };
}

function variants({ variants }: Registry): Resource {
  return {
    name: "Variant",
    noun: "a variant",
    path: "/registry/applications/{app}/variants",
    parameter: "variant",
    component: "RegistryVariant",
    list: "VariantList",
    descriptions: {
      listed: "All of the application, by slug.",
      create: "It has no revision yet: the first is committed on top of `base_revision` 0.",
      found: "The variant.",
      rename: "Its id and its revisions stay, and so does what is deployed.",
      delete: "With its revisions, for good. Refused while one of them is live.",
    },
    actions: variants,
  };
}

function environments({ environments }: Registry): Resource {
  return {
    name: "Environment",
    noun: "an environment",
    path: "/registry/applications/{app}/environments",
    parameter: "environment",
    component: "Environment",
    list: "EnvironmentList",
    descriptions: {
      list: "With what is live in each.",
      listed: "All of the application, in the order that they were made.",
      found: "The environment, with what is live there.",
      rename:
        "Renames it: its id and its history stay, and calls that name it by its slug no longer find it. Or switches its playground: calls of a playground that is off are a 403.",
      delete: "With its history, for good. Refused while something is live there.",
    },
    actions: environments,
  };
}

export function applicationRoutes(registry: Registry, maxBodyBytes: number): Route[] {
  return resourceRoutes(applications(registry), maxBodyBytes);
}

export function variantRoutes(registry: Registry, maxBodyBytes: number): Route[] {
  return resourceRoutes(variants(registry), maxBodyBytes);
}

export function environmentRoutes(registry: Registry, maxBodyBytes: number): Route[] {
  return resourceRoutes(environments(registry), maxBodyBytes);
}

const playground = () =>
  documented(z.boolean(), {
    description: "Whether it takes calls with a configuration of the caller's.",
    example: false,
  });

/** Changes what the body names; nothing else. */
async function change(
  actions: Actions,
  of: ApplicationRef,
  named: string,
  given: { readonly slug?: string | undefined; readonly playground?: boolean | undefined },
): Promise<RegistryOutcome<Item>> {
  const { slug: newSlug, playground: isOn } = given;
  const renamed =
    newSlug === undefined ? await actions.get(of, named) : await actions.rename(of, named, newSlug);
  if (renamed.kind === "refused" || isOn === undefined || !actions.setPlayground) return renamed;
  return actions.setPlayground(of, renamed.value.id, isOn);
}

type AnyParams = Readonly<Record<string, string>>;

function resourceRoutes(resource: Resource, maxBodyBytes: number): Route[] {
  const { name, noun, component, descriptions, actions, path, parameter } = resource;
  const one = `${path}/{${parameter}}`;
  const slugBody = () => z.strictObject({ slug: slug() });
  const changeBody = () =>
    actions.setPlayground === undefined
      ? slugBody()
      : z.strictObject({ slug: z.optional(slug()), playground: z.optional(playground()) });
  const described = (description: string | undefined) =>
    description === undefined ? {} : { description };
  const document = success(component, descriptions.found);
  const plain = success(component, `The ${name.toLowerCase()}.`);
  /** Of the request, by the text of the path: `{app}` is absent in that of all applications. */
  const target = (request: { caller: { project: string }; params: object }) => {
    const params = request.params as AnyParams;
    const of = { project: request.caller.project, application: params.app ?? "" };
    return { of, named: params[parameter] ?? "" };
  };
  return [
    registryRoute(maxBodyBytes, {
      method: "GET",
      path,
      access: "read",
      id: `list${name}s`,
      summary: `List ${name.toLowerCase()}s`,
      ...described(descriptions.list),
      success: success(resource.list, descriptions.listed),
      answer: async (request, reply) =>
        outcomeAnswer(await actions.list(target(request).of), (items) =>
          // All of them are of the kind that the list has.
          reply({ items } as ComponentValue<Resource["list"]>),
        ),
    }),
    registryRoute(maxBodyBytes, {
      method: "POST",
      path,
      access: "admin",
      id: `create${name}`,
      summary: `Create ${noun}`,
      ...described(descriptions.create),
      body: slugBody,
      success: created(component, plain.description),
      errors: ["slug_invalid", "slug_taken"],
      answer: async (request, reply) => {
        const { of } = target(request);
        return outcomeAnswer(await actions.create(of, request.body.slug), (made) => {
          const parents = parameter === "app" ? [] : [of.application, `${parameter}s`];
          return reply(made, locationOf(...parents, made.slug));
        });
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "GET",
      path: one,
      access: "read",
      id: `get${name}`,
      summary: `Get ${noun}`,
      success: document,
      answer: async (request, reply) => {
        const { of, named } = target(request);
        return outcomeAnswer(await actions.get(of, named), reply);
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "PATCH",
      path: one,
      access: "admin",
      id: `rename${name}`,
      summary: actions.setPlayground === undefined ? `Rename ${noun}` : `Change ${noun}`,
      description: descriptions.rename,
      body: changeBody,
      success: plain,
      errors: ["slug_invalid", "slug_taken"],
      answer: async (request, reply) => {
        const { of, named } = target(request);
        return outcomeAnswer(await change(actions, of, named, request.body), reply);
      },
    }),
    registryRoute(maxBodyBytes, {
      method: "DELETE",
      path: one,
      access: "admin",
      id: `delete${name}`,
      summary: `Delete ${noun}`,
      description: descriptions.delete,
      success: noContent("It is gone."),
      errors: ["still_live"],
      answer: async (request, reply) => {
        const { of, named } = target(request);
        return outcomeAnswer(await actions.delete(of, named), () => reply());
      },
    }),
  ];
}
