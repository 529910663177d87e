import type { Registry } from "../../registry/registry.ts";
import type { BuildStore } from "../builds/build-store.ts";
import type { BuildLogs } from "../processes/build-log.ts";

export interface SweeperOptions {
  readonly registry: Registry;
  readonly store: BuildStore;
  readonly logs: BuildLogs;
  /** Ids of the builds that serve here. One may be old, if its successors failed to start here. */
  readonly serving: () => readonly string[];
  readonly onError: (error: unknown) => void;
}

/** Deletes files that are no longer needed: of old builds, of deleted applications, of crashes. */
export class Sweeper {
  readonly #options: SweeperOptions;
  /** Builds in use whose files must stay, however old the builds are. */
  readonly #held = new Set<string>();
  #sweep: Promise<void> | undefined;
  #isWanted = false;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /** Sweeps in the background. Calls during a sweep cause one further sweep, however many they are. */
  sweepSoon(): void {
    this.#isWanted = true;
    this.#sweep ??= this.#sweepWhileWanted();
  }

  /** Keeps the files of a build until the returned object is disposed of. */
  hold(buildId: string): Disposable {
    this.#held.add(buildId);
    return { [Symbol.dispose]: () => this.#held.delete(buildId) };
  }

  /** Resolves when the running sweep is over. */
  async idle(): Promise<void> {
    this.#isWanted = false;
    await this.#sweep;
  }

  async #sweepWhileWanted(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      await this.#sweepAll().catch(this.#options.onError);
    }
    // Without an await after the last look at #isWanted: a later call must start a new sweep.
    this.#sweep = undefined;
  }

  async #sweepAll(): Promise<void> {
    const { registry, store, logs, serving } = this.#options;
    await store.sweep(async () => {
      const { builds } = await findKept(registry);
      return new Set([...builds, ...this.#held, ...serving()]);
    });
    await logs.sweep(async () => (await findKept(registry)).applications);
  }
}

/** Ids, of all projects. */
interface Kept {
  readonly applications: ReadonlySet<string>;
  readonly builds: ReadonlySet<string>;
}

/** The applications and builds whose files are kept: all other files in the data directory may go. */
async function findKept(
  registry: Pick<Registry, "projects" | "applications" | "builds">,
): Promise<Kept> {
  const applications = new Set<string>();
  const builds = new Set<string>();
  for (const project of await registry.projects.list()) {
    for (const { id } of await registry.applications.list(project.id)) {
      applications.add(id);
      for (const build of await registry.builds.kept(id)) builds.add(build);
    }
  }
  return { applications, builds };
}
