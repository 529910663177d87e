import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import type { CopiedArchives } from "./folder-archives.ts";
import type { PlainRow } from "./plain-rows.ts";
import { insertRows } from "./plain-rows.ts";

/** A build that served, and whose files are gone. */
export interface LostBuild {
  readonly project: string;
  readonly application: string;
  readonly build: number;
}

/** Builds with their files. One that serves and has none any more would serve in name only. */
export class BuildCopy {
  readonly #from: CopiedArchives;
  readonly #target: RegistryDatabase;
  readonly #to: CopiedArchives;
  readonly #lost: string[] = [];
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
      const isLost = archive === undefined && row.status === "live";
      const copy = isLost ? { ...row, status: "retired" } : row;
      await insertRows(this.#target, "builds", [copy]);
      written.push(copy);
      if (isLost) this.#lost.push(id);
      if (archive === undefined) continue;
      await this.#to.keep(id, archive);
      this.#archives++;
    }
    return written;
  }

  /** Those that are retired in the copy. */
  async lost(): Promise<LostBuild[]> {
    if (this.#lost.length === 0) return [];
    return this.#target
      .selectFrom("builds")
      .innerJoin("applications", "applications.id", "builds.application_id")
      .innerJoin("projects", "projects.id", "applications.project_id")
      .select(["projects.slug as project", "applications.slug as application"])
      .select("builds.number as build")
      .where("builds.id", "in", this.#lost)
      .orderBy("projects.slug")
      .orderBy("applications.slug")
      .execute();
  }
}
