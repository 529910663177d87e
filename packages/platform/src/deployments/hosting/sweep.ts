import type { ApplicationRef, Registry } from "../../registry/registry.ts";
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

/** How many builds of an application keep their files, beside the live one. */
export const KEPT_BUILDS = 10;

const PAGE = 100;

/** Ids, of all projects. */
interface Kept {
  readonly applications: ReadonlySet<string>;
  /** Builds that are live or being deployed, and the last ten that were live. */
  readonly builds: ReadonlySet<string>;
}

/** The applications and builds whose files are kept: all other files in the data directory may go. */
async function findKept(
  registry: Pick<Registry, "projects" | "applications" | "builds">,
): Promise<Kept> {
  const applications = new Set<string>();
  const builds = new Set<string>();
  for (const project of await registry.projects.list()) {
    for (const { id, build: live } of await registry.applications.list(project.id)) {
      applications.add(id);
      const ref = { project: project.id, application: id };
      for (const build of await keptBuilds(registry, ref, live)) builds.add(build);
    }
  }
  return { applications, builds };
}

/**
 * Ids of the builds of one application whose files are kept.
 *
 * @param live The number of the live build.
 */
export async function keptBuilds(
  { builds }: Pick<Registry, "builds">,
  ref: ApplicationRef,
  live: number | null,
): Promise<ReadonlySet<string>> {
  const kept = new Set<string>();
  let retired = 0;
  let before: number | null = null;
  do {
    const page = await builds.list(ref, { limit: PAGE, before });
    // The application was deleted meanwhile.
    if (page.kind === "refused") return new Set();
    for (const { id, status } of page.value.items) {
      if (status === "refused") continue;
      if (status !== "retired" || ++retired <= KEPT_BUILDS) kept.add(id);
    }
    before = page.value.next;
  } while (before !== null && (retired < KEPT_BUILDS || (live !== null && before > live)));
  return kept;
}
