import type { Registry } from "../../registry/registry.ts";
import type { NamedApplication } from "../service-directory.ts";
import type { HostParts } from "./application-host.ts";
import { ApplicationHost } from "./application-host.ts";

export interface HostingOptions extends HostParts {
  readonly registry: Pick<Registry, "applications" | "changes">;
  /** The live build runs under an old name: it should be started anew. */
  readonly onRenamed: (host: ApplicationHost) => void;
  readonly onError: (error: unknown) => void;
}

/** The hosts of all applications that have something running. */
export class Hosting {
  readonly #options: HostingOptions;
  readonly #hosts = new Map<string, { host: ApplicationHost; stopFollowing: () => void }>();

  constructor(options: HostingOptions) {
    this.#options = options;
  }

  get(applicationId: string): ApplicationHost | undefined {
    return this.#hosts.get(applicationId)?.host;
  }

  /** The application's host, made where there is none yet. */
  host(application: NamedApplication): ApplicationHost {
    const known = this.get(application.id);
    if (known !== undefined) return known;
    const host = new ApplicationHost(application, this.#options);
    const follow = () => void this.#follow(host).catch(this.#options.onError);
    const stopFollowing = this.#options.registry.changes.subscribe(application.id, follow);
    this.#hosts.set(application.id, { host, stopFollowing });
    // It may have been renamed after it was looked up and before anybody listened.
    follow();
    return host;
  }

  /** Starts every live build that waits to be started. */
  wake(): void {
    for (const { host } of this.#hosts.values()) host.wake();
  }

  /** Ends whatever runs for the application. */
  async release(applicationId: string): Promise<void> {
    const known = this.#hosts.get(applicationId);
    if (known === undefined) return;
    this.#hosts.delete(applicationId);
    known.stopFollowing();
    await known.host.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hosts.keys()].map((id) => this.release(id)));
  }

  async #follow(host: ApplicationHost): Promise<void> {
    const { project, id, slug } = host.application;
    const found = await this.#options.registry.applications.get({ project, application: id });
    // One that was deleted has nothing live, and so nothing running.
    if (found.kind === "refused" || found.value.slug === slug) return;
    host.rename(found.value.slug);
    this.#options.onRenamed(host);
  }
}
