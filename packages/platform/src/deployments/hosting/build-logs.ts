import { rm } from "node:fs/promises";
import { join } from "node:path";
import { namesIn } from "../builds/folder-contents.ts";
import { BuildLog } from "../processes/build-log.ts";

/** The logs of all applications, a folder each, named after the application's id. */
export class BuildLogs {
  readonly #folder: string;
  readonly #logs = new Map<string, BuildLog>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  of(applicationId: string): BuildLog {
    const known = this.#logs.get(applicationId);
    if (known !== undefined) return known;
    const log = new BuildLog(join(this.#folder, applicationId));
    this.#logs.set(applicationId, log);
    return log;
  }

  /**
   * Removes the logs of applications that are gone.
   *
   * @param kept Asked once it is known what is there: what comes later is not removed.
   */
  async sweep(kept: () => Promise<ReadonlySet<string>>): Promise<void> {
    const names = await namesIn(this.#folder);
    const ids = await kept();
    for (const name of names) {
      if (ids.has(name)) continue;
      await this.#logs.get(name)?.close();
      this.#logs.delete(name);
      await rm(join(this.#folder, name), { recursive: true, force: true });
    }
  }

  /** Ends readers that follow. */
  async close(): Promise<void> {
    await Promise.all([...this.#logs.values()].map((log) => log.close()));
  }
}
