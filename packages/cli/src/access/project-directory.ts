/** Which projects there are, in memory: a request may name one in a header. */
export class ProjectDirectory {
  #ids: ReadonlyMap<string, string> = new Map();

  /** Takes these for all that there are. */
  replace(projects: readonly { readonly id: string; readonly slug: string }[]): void {
    this.#ids = new Map([
      ...projects.map(({ id, slug }) => [slug, id] as const),
      ...projects.map(({ id }) => [id, id] as const),
    ]);
  }

  /** The id of the project that is called this, by slug or id. */
  idOf(name: string): string | undefined {
    return this.#ids.get(name);
  }
}
