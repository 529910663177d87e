import type {
  ApplicationRef,
  Registry,
  RegistryOutcome,
  RegistryProblem,
  Service,
  Services,
} from "@agate/platform/dev";
import { done } from "@agate/platform/dev";
import type { Application } from "@agate/protocol";
import type { DevEvent } from "./dev-event.ts";

const ENVIRONMENT = "development";
const VARIANT = "default";
const AUTHOR = "agate dev";

/** The application in the registry; made, with a configuration of all defaults, where it is new. */
export async function registerApp(
  registry: Registry,
  project: string,
  slug: string,
): Promise<RegistryOutcome<Application>> {
  const application = await registry.applications.ensure(project, slug);
  if (application.kind === "refused") return application;
  const deployed = await deployDefaults(registry, { project, application: slug });
  return deployed.kind === "refused" ? deployed : application;
}

/**
 * Deploys a revision that changes nothing, so that deployed endpoints answer. Only where nothing was
 * ever deployed to the environment: later changes, and a take-down, are kept.
 */
async function deployDefaults(
  registry: Registry,
  ref: ApplicationRef,
): Promise<RegistryOutcome<unknown>> {
  const { variants, revisions, deployments } = registry;
  const history = await deployments.list(ref, ENVIRONMENT, { limit: 1, before: null });
  // The environment may have another name by now.
  if (history.kind === "refused" || history.value.items.length > 0) return done(null);
  const existing = await variants.list(ref);
  if (existing.kind === "refused") return existing;
  let variant = existing.value.find(({ slug }) => slug === VARIANT);
  if (variant === undefined) {
    if (existing.value.length > 0) return done(null);
    const created = await variants.create(ref, VARIANT);
    if (created.kind === "refused") return created;
    variant = created.value;
  }
  if (variant.latest_revision === 0) {
    const commit = { params: {}, baseRevision: 0, by: AUTHOR, message: "All defaults" };
    const committed = await revisions.commit(ref, VARIANT, commit);
    if (committed.kind === "refused") return committed;
  }
  const what = { variant: VARIANT, revision: null, by: AUTHOR, message: "" };
  return deployments.deploy(ref, ENVIRONMENT, what);
}

/** What came of following the code. */
export interface FollowedSchema {
  readonly routes: readonly string[];
  /** One for each live value that does not fit any more; or why nothing was taken over. */
  readonly problems: readonly RegistryProblem[];
}

/**
 * Takes what the workflow says of itself as the application's schema, even where a configuration
 * that is live does not satisfy it.
 */
export async function followSchema(
  registry: Registry,
  ref: ApplicationRef,
  openapi: unknown,
): Promise<FollowedSchema> {
  const checked = await registry.applications.checkSchema(ref, openapi);
  const put = await registry.applications.putSchema(ref, openapi, { force: true });
  if (put.kind === "refused") return { routes: [], problems: put.problems };
  return {
    routes: put.value.routes.map(({ route }) => route),
    problems: checked.kind === "refused" ? checked.problems : [],
  };
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
