import type { Environment } from "@agate/protocol";
import type { RunningDeployer } from "../deployments/deployer.ts";
import type { FoundService, ServiceDirectory } from "../deployments/services.ts";
import type { ApplicationRef, Registry } from "../registry/registry.ts";
import type { Answer, Problem } from "./answer.ts";
import { problemAnswer, problemsAnswer } from "./answer.ts";
import type { ServiceEndpoint } from "./service-endpoint.ts";
import type { NamedEnvironment } from "./service-target.ts";

export interface ServiceLookupOptions {
  readonly services: ServiceDirectory;
  readonly registry: Pick<Registry, "applications" | "environments">;
  readonly deployer: Pick<RunningDeployer, "catchUp">;
}

/** A call whose service the directory does not know. */
export interface UnknownService {
  /** The project's id. */
  readonly project: string;
  /** By slug or id. */
  readonly application: string;
  /** The environment that the request names; null: the default one. */
  readonly named: NamedEnvironment | null;
  readonly endpoint: ServiceEndpoint;
}

/** Asks the registry for what the directory does not have; an answer says what is missing. */
export type ServiceLookup = (wanted: UnknownService) => Promise<FoundService | Answer>;

export function isFound(outcome: FoundService | Answer): outcome is FoundService {
  return "service" in outcome;
}

/**
 * Looks for services that this replica does not know. Another replica may have deployed or renamed
 * one a moment ago, and its client may call before the signal of the change arrives.
 */
export function createServiceLookup(options: ServiceLookupOptions): ServiceLookup {
  const { services, registry, deployer } = options;
  return async ({ project, application: called, named, endpoint }) => {
    const application = await registry.applications.get({ project, application: called });
    if (application.kind === "refused") return problemsAnswer(application.problems);
    const { id, slug } = application.value;
    let environment: Environment | null = null;
    if (named !== null) {
      const ref = { project, application: id };
      const found = await registry.environments.get(ref, named.name);
      if (found.kind === "refused") {
        const [problem] = found.problems;
        return problemAnswer({ ...problem, loc: named.loc });
      }
      environment = found.value;
    }
    const find = () =>
      named === null && endpoint === "playground"
        ? services.findPlayground(project, id)
        : services.find(project, id, environment?.id ?? null);
    if (find() === undefined) await deployer.catchUp(id);
    const found = find();
    if (found !== undefined) return found;
    // It serves, and no playground call finds it.
    const serving =
      named === null && endpoint === "playground"
        ? (services.find(project, id, null) ?? services.findFirst(project, id))
        : undefined;
    if (serving !== undefined) {
      return problemAnswer(playgroundOffProblem(slug, serving.environment?.slug ?? null));
    }
    const target =
      environment ?? (await findDefaultEnvironment(registry, { project, application: id }));
    const awaited = target?.deployment?.build;
    // One that runs elsewhere is never started here.
    if (awaited?.kind === "hosted") {
      const msg = `Build ${awaited.number} of ${slug} is being started.`;
      return problemAnswer({ type: "service_unavailable", loc: [], msg }, { "retry-after": "1" });
    }
    return problemAnswer(notServed(slug, target?.slug, named));
  };
}

/** Where calls go that name no environment; undefined where all were deleted. */
async function findDefaultEnvironment(
  { environments }: ServiceLookupOptions["registry"],
  ref: ApplicationRef,
): Promise<Environment | undefined> {
  const listed = await environments.list(ref);
  if (listed.kind === "refused") return undefined;
  return listed.value.find(({ is_default }) => is_default);
}

function notServed(
  slug: string,
  environment: string | undefined,
  named: NamedEnvironment | null,
): Problem {
  const what = environment === undefined ? slug : `${slug} in ${environment}`;
  const where = environment === undefined ? "" : ` --environment ${environment}`;
  const msg = `No build serves ${what}. Deploy one: agate deploy app.ts --app ${slug}${where}.`;
  return { type: "service_not_found", loc: named?.loc ?? ["path", "app"], msg };
}

/** @param environment Null: that of every environment is off. */
export function playgroundOffProblem(application: string, environment: string | null): Problem {
  const where = environment ?? "every environment";
  const msg = `The playground of ${application} is off in ${where}. Switch it on: agate environments playground ${application} ${environment ?? "staging"} on.`;
  return { type: "playground_off", loc: ["path"], msg };
}
