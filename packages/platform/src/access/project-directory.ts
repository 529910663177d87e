import { isEmptyRedaction, type RedactionRules } from "@agate/protocol";

/** The projects and their redaction rules, in memory: every request may look one up. */
export class ProjectDirectory {
  #ids: ReadonlyMap<string, string> = new Map();
  #redaction: ReadonlyMap<string, string> = new Map();

  /** Replaces all projects. */
  replace(projects: readonly { readonly id: string; readonly slug: string }[]): void {
    this.#ids = new Map([
      ...projects.map(({ id, slug }) => [slug, id] as const),
      ...projects.map(({ id }) => [id, id] as const),
    ]);
  }

  /** Replaces all redaction rules. */
  replaceRedaction(rows: readonly { readonly project_id: string; readonly rules: string }[]): void {
    const some = rows.filter(({ rules }) => !isEmptyRedaction(JSON.parse(rules) as RedactionRules));
    this.#redaction = new Map(some.map(({ project_id, rules }) => [project_id, rules]));
  }

  /** The redaction rules of a project, by its id, as JSON; null where it has none. */
  redactionOf(id: string): string | null {
    return this.#redaction.get(id) ?? null;
  }

  /** The id of the project that is called this, by slug or id. */
  idOf(name: string): string | undefined {
    return this.#ids.get(name);
  }
}
