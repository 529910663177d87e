import type { IngestRequest } from "./ingest-service.ts";

/**
 * Whether a sender was told that Agate does not store what it exports. Exporters log every
 * `partial_success`, and would do so with each batch: the first answer to a project has it, for each
 * signal, and those after it have none while the ingest thread runs.
 */
export class NotKeptNotices {
  /** One text for each signal of a project: as bounded as projects are. */
  readonly #told = new Set<string>();

  /** Whether this is the first request of the project and signal with something that is not kept. */
  isFirst({ project, signal }: Pick<IngestRequest, "project" | "signal">): boolean {
    const { size } = this.#told;
    return this.#told.add(`${signal} ${project}`).size > size;
  }
}
