import type {
  ApplicationRef,
  Registry,
  RegistryOutcome,
  RegistryProblem,
  Service,
  Services,
} from "@agate/platform/dev";
import type { Application } from "@agate/protocol";
import type { DevEvent } from "./dev-event.ts";

/** The environment that the program runs as. */
export const DEV_ENVIRONMENT = "development";
const AUTHOR = "agate dev";

/** The application in the registry, with the environment that the program runs as. */
export async function registerApp(
  registry: Registry,
  project: string,
  slug: string,
): Promise<RegistryOutcome<Application>> {
  const application = await registry.applications.ensure(project, slug);
  if (application.kind === "refused") return application;
  const ref = { project, application: application.value.id };
  const environments = await registry.environments.list(ref);
  if (environments.kind === "refused") return environments;
  // It may have been renamed or deleted.
  if (!environments.value.some((environment) => environment.slug === DEV_ENVIRONMENT)) {
    const created = await registry.environments.create(ref, DEV_ENVIRONMENT);
    if (created.kind === "refused") return created;
  }
  return application;
}

/** What came of following the code. */
export interface FollowedSchema {
  readonly routes: readonly string[];
  /** One for each live value that the code does not take; or why the registry rejects the schema. */
  readonly problems: readonly RegistryProblem[];
}

/**
 * Registers the program as the code of its environment, even where the configuration that is live
 * there does not satisfy it.
 */
export async function followSchema(
  registry: Registry,
  ref: ApplicationRef,
  openapi: unknown,
): Promise<FollowedSchema> {
  const put = await registry.applications.putSchema(ref, openapi, {
    environment: DEV_ENVIRONMENT,
    by: AUTHOR,
    isDevelopment: true,
  });
  if (put.kind === "refused") return { routes: [], problems: put.problems };
  return {
    routes: put.value.routes.map(({ route }) => route),
    problems: await findMisfits(registry, ref),
  };
}

/** What the live code does not take of the live configuration. */
async function findMisfits(
  { deployments }: Registry,
  ref: ApplicationRef,
): Promise<readonly RegistryProblem[]> {
  const pinned = await deployments.pin(ref, {
    kind: "deploy",
    build: null,
    config: null,
    configIn: "body",
    environment: DEV_ENVIRONMENT,
    environmentLoc: [],
    accepts: "breaking",
    by: AUTHOR,
    message: "",
  });
  const checked = pinned.kind === "refused" ? pinned : await deployments.check(ref, pinned.value);
  return checked.kind === "refused" ? checked.problems : [];
}

interface DevRegistrationOptions {
  readonly registry: Registry;
  readonly services: Services;
  readonly service: Service;
  /** The project's id. */
  readonly project: string;
  /** What the application is called where its code does not say. */
  readonly application: string;
  readonly emit: (event: DevEvent) => void;
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
    // Registered at once, so that a call before the workflow is ready gets an error that names the reason.
    services.override({ project, id: application, slug: application }, service);
  }

  /** Takes what a version answers as its `/openapi.json`; gives its routes. */
  async follow(openapi: unknown): Promise<readonly string[]> {
    const { registry, project, emit } = this.#options;
    const slug = titleOf(openapi) ?? this.#options.application;
    this.#registered ??= await this.#register(slug);
    if (this.#registered === undefined) return [];
    const { id, slug: from } = this.#registered;
    // The name is the application's for as long as this runs: its calls, traces and variants are there.
    if (slug !== from) emit({ event: "renamed", from, to: slug });
    const followed = await followSchema(registry, { project, application: id }, openapi);
    if (followed.problems.length > 0) emit({ event: "misfit", problems: followed.problems });
    return followed.routes;
  }

  async #register(slug: string): Promise<Application | undefined> {
    const { registry, services, service, project, emit, onRegistered } = this.#options;
    const outcome = await registerApp(registry, project, slug);
    if (outcome.kind === "refused") {
      emit({ event: "misfit", problems: outcome.problems });
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
