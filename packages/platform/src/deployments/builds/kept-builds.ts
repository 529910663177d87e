import type { ApplicationRef, Registry } from "../../registry/registry.ts";

/** How many builds of an application keep their files, beside the one that is live. */
export const KEPT_BUILDS = 10;

const PAGE = 100;

/** Ids, of every project. */
export interface Kept {
  readonly applications: ReadonlySet<string>;
  /** Those whose files are kept: what is live or being deployed, and the last ten that have served. */
  readonly builds: ReadonlySet<string>;
}

/** What there are files of: everything else in the data directory's folders may go. */
export async function whatIsKept(
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
 * The same of one application.
 *
 * @param live The number of the build that serves it.
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
