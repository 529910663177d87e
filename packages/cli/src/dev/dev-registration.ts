import type { Registry, Service, Services } from "@agate/platform/dev";
import type { Application } from "@agate/protocol";
import type { DevEvent } from "./dev-event.ts";
import { followSchema, registerApp } from "./register-app.ts";

export interface DevRegistrationOptions {
  readonly registry: Registry;
  readonly services: Services;
  readonly service: Service;
  /** The project's id. */
  readonly project: string;
  /** What the application is called where its code does not say. */
  readonly application: string;
  readonly tell: (event: DevEvent) => void;
  /** Told the application's id once it is registered. */
  readonly onRegistered: (applicationId: string) => void;
}

/** The application in the registry, which follows what the code says of itself. */
export class DevRegistration {
  readonly #options: DevRegistrationOptions;
  #registered: Application | undefined;

  constructor(options: DevRegistrationOptions) {
    this.#options = options;
    const { services, service, project, application } = options;
    // Found from the beginning, so that whoever calls too early is told so.
    services.override({ project, id: application, slug: application }, service);
  }

  /** Takes what a version answers as its `/openapi.json`; gives its routes. */
  async follow(openapi: unknown): Promise<readonly string[]> {
    const { registry, project, tell } = this.#options;
    const slug = titleOf(openapi) ?? this.#options.application;
    this.#registered ??= await this.#register(slug);
    if (this.#registered === undefined) return [];
    const { id, slug: from } = this.#registered;
    // The name is the application's for as long as this runs: its calls, traces and variants are there.
    if (slug !== from) tell({ event: "renamed", from, to: slug });
    const followed = await followSchema(registry, { project, application: id }, openapi);
    if (followed.problems.length > 0) tell({ event: "misfit", problems: followed.problems });
    return followed.routes;
  }

  async #register(slug: string): Promise<Application | undefined> {
    const { registry, services, service, project, tell, onRegistered } = this.#options;
    const outcome = await registerApp(registry, project, slug);
    if (outcome.kind === "refused") {
      tell({ event: "misfit", problems: outcome.problems });
      return undefined;
    }
    const { id } = outcome.value;
    services.override({ project, id, slug }, service);
    onRegistered(id);
    return outcome.value;
  }
}

/** What the workflow calls its application. */
function titleOf(openapi: unknown): string | undefined {
  const { info } = openapi as { readonly info?: { readonly title?: unknown } };
  return typeof info?.title === "string" ? info.title : undefined;
}
