import type { HostedEnvironment } from "../registry/deployment-change.ts";

export type { HostedEnvironment } from "../registry/deployment-change.ts";

/** Which service answers a call now. The gateway asks it for every request. */
export interface ServiceDirectory {
  /**
   * @param application Its slug or id.
   * @param environment Its slug or id; null is the application's default environment.
   * @returns undefined when no build serves there, or the project has no such application.
   */
  find(project: string, application: string, environment: string | null): FoundService | undefined;
  /** For a playground call that names no environment: the first one that has its playground on. */
  findPlayground(project: string, application: string): FoundService | undefined;
  /** The first environment of an application that a build serves. */
  findFirst(project: string, application: string): FoundService | undefined;
}

/** A service in the directory. */
export interface FoundService {
  readonly service: Service;
  /** Null: the service answers for every environment of its application. */
  readonly environment: HostedEnvironment | null;
}

/** An application under the names that requests may call it by. */
export interface NamedApplication {
  /** The project's id. */
  readonly project: string;
  readonly id: string;
  readonly slug: string;
}

/** The place of a service in the directory; `Names` is what requests find it by. */
export interface DirectoryEntry<Names> {
  /** The service is found by these from now on, and no longer by others: a slug was changed, say. */
  update(names: Names): void;
  remove(): void;
}

/** The environment that `agate dev` runs its program as. */
const DEVELOPMENT = "development";

/**
 * The directory of a platform.
 *
 * @example
 * const entry = services.add(environment, service);
 * services.find("default", "support", "staging");
 */
export class Services implements ServiceDirectory {
  readonly #environments = new Map<string, FoundService>();
  /** Of default environments, by their applications. */
  readonly #defaults = new Map<string, FoundService>();
  /** Of whole applications. */
  readonly #applications = new Map<string, FoundService>();
  readonly #overriding = new Map<string, FoundService>();

  find(project: string, application: string, environment: string | null): FoundService | undefined {
    const name = nameOf(project, application);
    const overriding = this.#overriding.get(name);
    if (overriding !== undefined && (environment === null || environment === DEVELOPMENT)) {
      return overriding;
    }
    const own =
      environment === null
        ? this.#defaults.get(name)
        : this.#environments.get(`${name}@${environment}`);
    return own ?? overriding ?? this.#applications.get(name);
  }

  findPlayground(project: string, application: string): FoundService | undefined {
    const name = nameOf(project, application);
    const overriding = this.#overriding.get(name);
    if (overriding !== undefined) return overriding;
    const first = this.#first(project, application, ({ playground }) => playground);
    return first ?? this.#applications.get(name);
  }

  findFirst(project: string, application: string): FoundService | undefined {
    return this.#first(project, application, () => true);
  }

  #first(
    project: string,
    application: string,
    matches: (environment: HostedEnvironment) => boolean,
  ): FoundService | undefined {
    let first: FoundService | undefined;
    for (const found of this.#environments.values()) {
      const { environment } = found;
      if (environment === null || !isOf(environment, project, application)) continue;
      if (first?.environment && first.environment.number <= environment.number) continue;
      if (matches(environment)) first = found;
    }
    return first;
  }

  /** The service that runs the live build of an environment. */
  add(environment: HostedEnvironment, service: Service): DirectoryEntry<HostedEnvironment> {
    return enter(service, environment, (given) => {
      const applications = namesOf({ project: given.project, ...given.application });
      const names = applications.flatMap((name) => [
        `${name}@${given.id}`,
        `${name}@${given.slug}`,
      ]);
      return [
        { map: this.#environments, names, environment: given },
        { map: this.#defaults, names: given.isDefault ? applications : [], environment: given },
      ];
    });
  }

  /** A service for every environment of the application that has none of its own. */
  addForAll(application: NamedApplication, service: Service): DirectoryEntry<NamedApplication> {
    return this.#addTo(this.#applications, application, service);
  }

  /**
   * The program of `agate dev`: answers for development, for calls that name no environment, and for
   * every environment without a build.
   */
  override(application: NamedApplication, service: Service): DirectoryEntry<NamedApplication> {
    return this.#addTo(this.#overriding, application, service);
  }

  #addTo(map: Map<string, FoundService>, application: NamedApplication, service: Service) {
    return enter(service, application, (given: NamedApplication) => [
      { map, names: namesOf(given), environment: null },
    ]);
  }
}

/** Names of a service in one of the directory's maps. */
interface Place {
  readonly map: Map<string, FoundService>;
  readonly names: readonly string[];
  readonly environment: HostedEnvironment | null;
}

function enter<Names>(
  service: Service,
  first: Names,
  placesOf: (names: Names) => readonly Place[],
): DirectoryEntry<Names> {
  let places: readonly Place[] = [];
  const remove = () => {
    for (const { map, names } of places) {
      // Another service may have got a name meanwhile.
      for (const name of names) if (map.get(name)?.service === service) map.delete(name);
    }
  };
  const update = (given: Names) => {
    remove();
    places = placesOf(given);
    for (const { map, names, environment } of places) {
      for (const name of names) map.set(name, { service, environment });
    }
  };
  update(first);
  return { update, remove };
}

function namesOf({ project, id, slug }: NamedApplication): string[] {
  return [nameOf(project, id), nameOf(project, slug)];
}

/** Ids of projects have no slash in them, and slugs and ids of applications no at sign. */
function nameOf(project: string, application: string): string {
  return `${project}/${application}`;
}

function isOf(environment: HostedEnvironment, project: string, application: string): boolean {
  const { id, slug } = environment.application;
  return environment.project === project && (id === application || slug === application);
}

/**
 * The running code of an application, as the gateway sees it: one that stays the same while builds
 * come and go behind it.
 */
export interface Service {
  readonly application: { readonly id: string; readonly slug: string };
  /**
   * Leases the current process: it is not ended before the lease is released. Returns at once if a
   * process is ready; while the build restarts, waits for a bounded time.
   */
  acquire(): Lease | Promise<Lease | ServiceUnavailable>;
}

/** The request that a lease is for. */
export interface LeaseHolder {
  /** Called when the process must end before the request is over: the holder cuts it off. */
  onTimeUp(): void;
}

/** A share in a running process. Release it exactly once. */
export interface Lease {
  readonly kind: "lease";
  /** The socket (a file's path) that the process listens on. */
  readonly socketPath: string;
  /** What the process says of its routes. */
  readonly routes?: ServedRoutes;
  /**
   * Set by the holder. An object, not a function: with a function that an exchange makes for its lease, V8's young
   * collections kept the objects of four calls in ten, which a full collection then had to free.
   */
  holder?: LeaseHolder;
  /** `unreachable`: the process does not listen. It is restarted then. */
  release(found?: "unreachable"): void;
}

/** The routes of a build. */
export interface ServedRoutes {
  /** @param target The path and query of a request to the build. */
  find(target: string): ServedRoute | undefined;
}

export interface ServedRoute {
  /** As it was declared: `/summarize`. */
  readonly route: string;
  /** Whether it is the endpoint that takes its configuration from a deployment. */
  readonly isDeployed: boolean;
  /** How long a call of it may take; null without a limit. */
  readonly timeoutMs: number | null;
}

export interface ServiceUnavailable {
  readonly kind: "unavailable";
  /** One sentence: "Build 3 of support has crashed and restarts in 4 s." */
  readonly reason: string;
  readonly retryAfterSeconds: number;
}
