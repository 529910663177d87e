import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import type { CopiedArchives } from "./folder-archives.ts";
import type { PlainRow } from "./plain-rows.ts";
import { insertRows } from "./plain-rows.ts";

/** A build that is live, and whose files are gone. */
export interface LostBuild {
  readonly project: string;
  readonly application: string;
  readonly build: number;
  /** Where it is live, in the order that they are shown in. */
  readonly environments: readonly string[];
}

/** Builds with their files. */
export class BuildCopy {
  readonly #from: CopiedArchives;
  readonly #target: RegistryDatabase;
  readonly #to: CopiedArchives;
  /** Builds of this platform whose files are gone, live or not. */
  readonly #withoutFiles = new Set<string>();
  /** Those of them with the status live, by their applications. */
  readonly #retired = new Map<string, string>();
  #archives = 0;

  constructor(from: CopiedArchives, target: RegistryDatabase, to: CopiedArchives) {
    this.#from = from;
    this.#target = target;
    this.#to = to;
  }

  /** How many have come with their files. */
  get archives(): number {
    return this.#archives;
  }

  /** @returns The rows as they were written. */
  async insert(rows: readonly PlainRow[], signal: AbortSignal): Promise<PlainRow[]> {
    const written: PlainRow[] = [];
    for (const row of rows) {
      signal.throwIfAborted();
      const id = String(row.id);
      const archive = await this.#from.read(id);
      const isLost = archive === undefined && row.kind === "hosted";
      // Servers of earlier releases start what has the status live.
      const isRetired = isLost && row.status === "live";
      const copy = isRetired ? { ...row, status: "retired" } : row;
      await insertRows(this.#target, "builds", [copy]);
      written.push(copy);
      if (isLost) this.#withoutFiles.add(id);
      if (isRetired) this.#retired.set(String(row.application_id), id);
      if (archive === undefined) continue;
      await this.#to.keep(id, archive);
      this.#archives++;
    }
    return written;
  }

  /** Those that cannot start from the copy. Everything else must have been copied. */
  async lost(): Promise<LostBuild[]> {
    if (this.#withoutFiles.size === 0) return [];
    const live = await this.#target
      .selectFrom("deployments")
      .innerJoin("environments", "environments.id", "deployments.environment_id")
      .select(["deployments.application_id", "deployments.build_id", "environments.slug"])
      .where("deployments.ended_at", "is", null)
      .orderBy("environments.number")
      .execute();
    // Without a build of its own, what has the status live counts.
    const places = Map.groupBy(
      live,
      (row) => row.build_id ?? this.#retired.get(row.application_id),
    );
    const lost = [...places.keys()].filter(
      (id): id is string => id !== undefined && this.#withoutFiles.has(id),
    );
    const builds = await this.#target
      .selectFrom("builds")
      .innerJoin("applications", "applications.id", "builds.application_id")
      .innerJoin("projects", "projects.id", "applications.project_id")
      .select(["projects.slug as project", "applications.slug as application"])
      .select(["builds.number as build", "builds.id"])
      .where("builds.id", "in", lost)
      .orderBy("projects.slug")
      .orderBy("applications.slug")
      .orderBy("builds.number")
      .execute();
    return builds.map(({ id, ...build }) => ({
      ...build,
      environments: (places.get(id) ?? []).map(({ slug }) => slug),
    }));
  }
}
