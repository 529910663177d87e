import type { Builds } from "../../registry/registry.ts";
import { diskReason } from "./disk-reason.ts";

const AGAIN_MS = 5_000;

/**
 * Writes down which builds were refused. A full disk may have refused both the build and the record
 * of it: what cannot be written now is written later, at the latest when the platform starts again.
 */
export class RefusalRecords {
  readonly #builds: Pick<Builds, "refuse">;
  readonly #onError: (error: unknown) => void;
  readonly #unwritten = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(builds: Pick<Builds, "refuse">, onError: (error: unknown) => void) {
    this.#builds = builds;
    this.#onError = onError;
  }

  async record(buildId: string, reason: string): Promise<void> {
    this.#unwritten.set(buildId, reason);
    await this.#write();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #write(): Promise<void> {
    this.#timer = undefined;
    for (const [buildId, reason] of this.#unwritten) {
      try {
        await this.#builds.refuse(buildId, reason);
        this.#unwritten.delete(buildId);
      } catch (error) {
        if (diskReason(error) === undefined) throw error;
        this.#timer ??= setTimeout(() => this.#write().catch(this.#onError), AGAIN_MS).unref();
        return;
      }
    }
  }
}
