import type { RedactionRules } from "@agate/protocol";
import { NO_REDACTION } from "@agate/protocol";
import { Redactor } from "@agate/spans/redaction";

/** The redaction rules of projects as they are now, ready to be applied to lines of output. */
export class ProjectRedactors {
  readonly #redactionOf: (project: string) => string | null;
  readonly #none = new Redactor(NO_REDACTION);
  readonly #known = new Map<string, { readonly json: string; readonly redactor: Redactor }>();

  constructor(redactionOf: (project: string) => string | null) {
    this.#redactionOf = redactionOf;
  }

  of(project: string): Redactor {
    const json = this.#redactionOf(project);
    if (json === null) return this.#none;
    const known = this.#known.get(project);
    if (known?.json === json) return known.redactor;
    const redactor = new Redactor(JSON.parse(json) as RedactionRules);
    this.#known.set(project, { json, redactor });
    return redactor;
  }
}
