import type { Backup, BackupOutcome, BackupSource } from "./take-backup.ts";
import { takeBackup } from "./take-backup.ts";

export type BackupsOutcome =
  | BackupOutcome
  /** Another one is being taken: a second copy at the same time would only take more room. */
  | { readonly kind: "running" }
  /** Spans and registry are in databases that have tools of their own for this. */
  | { readonly kind: "elsewhere" };

/** Takes backups of a running platform, one at a time. */
export class Backups {
  readonly #source: BackupSource;
  #isRunning = false;

  constructor(source: BackupSource) {
    this.#source = source;
  }

  /** The backup counts as under way until it is disposed of. */
  async take(): Promise<BackupsOutcome> {
    if (!this.#source.spans && !this.#source.registry) return { kind: "elsewhere" };
    if (this.#isRunning) return { kind: "running" };
    this.#isRunning = true;
    try {
      const outcome = await takeBackup(this.#source);
      return outcome.kind === "taken" ? this.#released(outcome) : this.#ended(outcome);
    } catch (error) {
      this.#isRunning = false;
      throw error;
    }
  }

  #released(backup: Backup): Backup {
    return {
      ...backup,
      [Symbol.asyncDispose]: async () => {
        await backup[Symbol.asyncDispose]();
        this.#isRunning = false;
      },
    };
  }

  #ended(outcome: BackupOutcome): BackupOutcome {
    this.#isRunning = false;
    return outcome;
  }
}
