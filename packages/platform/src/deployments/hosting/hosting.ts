import type { NamedApplication } from "../service-directory.ts";
import type { HostedBuild, HostParts } from "./application-host.ts";
import { ApplicationHost } from "./application-host.ts";

/** The hosts of all applications that have something running. */
export class Hosting {
  readonly #parts: HostParts;
  readonly #hosts = new Map<string, ApplicationHost>();

  constructor(parts: HostParts) {
    this.#parts = parts;
  }

  /** Ids. */
  get applications(): readonly string[] {
    return [...this.#hosts.keys()];
  }

  /** The builds that serve. */
  get builds(): readonly HostedBuild[] {
    return [...this.#hosts.values()].flatMap(({ live }) => live ?? []);
  }

  /** Whether the first start of a live build has neither succeeded nor failed yet. */
  get isStarting(): boolean {
    return [...this.#hosts.values()].some((host) => host.isStarting);
  }

  get(applicationId: string): ApplicationHost | undefined {
    return this.#hosts.get(applicationId);
  }

  /** The application's host, made where there is none yet. */
  host(application: NamedApplication): ApplicationHost {
    const known = this.get(application.id);
    if (known !== undefined) return known;
    const host = new ApplicationHost(application, this.#parts);
    this.#hosts.set(application.id, host);
    return host;
  }

  /** Starts every live build that waits to be started. */
  wake(): void {
    for (const host of this.#hosts.values()) host.wake();
  }

  /** Ends whatever runs for the application. */
  async release(applicationId: string): Promise<void> {
    const host = this.get(applicationId);
    this.#hosts.delete(applicationId);
    await host?.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.applications.map((id) => this.release(id)));
  }
}
