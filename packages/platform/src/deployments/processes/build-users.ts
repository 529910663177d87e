import { stat } from "node:fs/promises";
import { dirname } from "node:path";

/** User ids that builds may run under, both ends included. */
export interface UserRange {
  readonly first: number;
  readonly last: number;
}

/** Ids that neither distributions nor systemd give out (systemd's UIDS-GIDS: "60578…61183 unused"). */
export const DEFAULT_USER_RANGE: UserRange = { first: 60_578, last: 61_183 };

/**
 * The user that each application's builds run under, also the group: another one for each, so that
 * neither the server's files and processes nor those of other applications are open to them.
 */
export class BuildUsers {
  readonly #range: UserRange;
  readonly #ids = new Map<string, number>();

  constructor(range: UserRange) {
    this.#range = range;
  }

  /** @throws Error where every id of the range is taken. */
  of(applicationId: string): number {
    const known = this.#ids.get(applicationId);
    if (known !== undefined) return known;
    const { first, last } = this.#range;
    const id = first + this.#ids.size;
    if (id > last) {
      const count = last - first + 1;
      throw new Error(`all ${count} users of --build-users are in use: give it a larger range`);
    }
    this.#ids.set(applicationId, id);
    return id;
  }
}

/** The first folder on the way to a file that other users cannot enter; undefined where there is none. */
export async function closedFolder(path: string): Promise<string | undefined> {
  let closed: string | undefined;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & 0o001) === 0) closed = folder;
    if (folder === dirname(folder)) return closed;
  }
}
