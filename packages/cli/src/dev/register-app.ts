import type {
  ApplicationRef,
  Registry,
  RegistryOutcome,
  RegistryProblem,
} from "@agate/platform/dev";
import { done } from "@agate/platform/dev";
import type { Application } from "@agate/protocol";

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
 * ever deployed to the environment: what somebody has changed there, or taken down, stays so.
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
