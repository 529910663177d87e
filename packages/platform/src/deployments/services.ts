/** Which service answers for an application now. The gateway asks it for every request. */
export interface ServiceDirectory {
  /** By slug or id; undefined when the project has no such application, or no build serves it. */
  find(project: string, application: string): Service | undefined;
}

/** An application under the names that requests may call it by. */
export interface NamedApplication {
  /** The project's id. */
  readonly project: string;
  readonly id: string;
  readonly slug: string;
}

/** A service in the directory. */
export interface DirectoryEntry {
  /** It is found under its new slug from now on, and not under the old one. */
  rename(slug: string): void;
  remove(): void;
}

/**
 * The directory of a platform.
 *
 * @example
 * // `agate dev`: its program takes precedence over a deployed build.
 * const entry = services.override({ project, id, slug }, service);
 */
export class Services implements ServiceDirectory {
  readonly #deployed = new Map<string, Service>();
  readonly #overriding = new Map<string, Service>();

  find(project: string, application: string): Service | undefined {
    const name = nameOf(project, application);
    return this.#overriding.get(name) ?? this.#deployed.get(name);
  }

  /** The service that runs the application's live build. */
  add(application: NamedApplication, service: Service): DirectoryEntry {
    return enter(this.#deployed, application, service);
  }

  /** A service that comes before the live build's, until it is removed. */
  override(application: NamedApplication, service: Service): DirectoryEntry {
    return enter(this.#overriding, application, service);
  }
}

function enter(
  services: Map<string, Service>,
  { project, id, slug: firstSlug }: NamedApplication,
  service: Service,
): DirectoryEntry {
  let slug = firstSlug;
  const forget = (application: string) => {
    const name = nameOf(project, application);
    // Another may have got the name meanwhile.
    if (services.get(name) === service) services.delete(name);
  };
  services.set(nameOf(project, id), service);
  services.set(nameOf(project, slug), service);
  return {
    rename(newSlug) {
      forget(slug);
      slug = newSlug;
      services.set(nameOf(project, slug), service);
    },
    remove() {
      forget(slug);
      forget(id);
    },
  };
}

/** Ids of projects have no slash in them. */
function nameOf(project: string, application: string): string {
  return `${project}/${application}`;
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

/** A share in a running process. Release it exactly once. */
export interface Lease {
  readonly kind: "lease";
  /** The socket (a file's path) that the process listens on. */
  readonly socketPath: string;
  /** Set by the holder. Called when the process must end before the request is over: the holder cuts it off. */
  onTimeUp?: () => void;
  /** `unreachable`: the process does not listen. It is restarted then. */
  release(found?: "unreachable"): void;
}

export interface ServiceUnavailable {
  readonly kind: "unavailable";
  /** One sentence: "Build 3 of support has crashed and restarts in 4 s." */
  readonly reason: string;
  readonly retryAfterSeconds: number;
}
