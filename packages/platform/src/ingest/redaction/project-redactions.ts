import type { RedactionRules } from "@agate/protocol";
import { RequestRedaction } from "./request-redaction.ts";

/** The rules of projects, ready to be applied. Made anew when a request brings others than the last. */
export class ProjectRedactions {
  readonly #known = new Map<
    string,
    { readonly json: string; readonly redaction: RequestRedaction }
  >();

  of(project: string, json: string | null): RequestRedaction | null {
    if (json === null) {
      this.#known.delete(project);
      return null;
    }
    const known = this.#known.get(project);
    if (known?.json === json) return known.redaction;
    const redaction = new RequestRedaction(JSON.parse(json) as RedactionRules);
    this.#known.set(project, { json, redaction });
    return redaction;
  }
}
