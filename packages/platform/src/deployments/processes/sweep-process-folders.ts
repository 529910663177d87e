import { lstat, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { UserRange } from "./build-users.ts";
import { shortTemporaryFolder } from "./process-folder.ts";

/** What mkdtemp makes of the prefix of a process's folder. */
const NAME = /^agate-[A-Za-z0-9]{6}$/;
/** A process that is being started has no socket yet. */
const LONGEST_START_MS = 10 * 60_000;

/**
 * Removes the folders of processes whose server was killed. A folder is left alone while something
 * listens at a socket in it, and while its process may still be starting.
 *
 * @param users The users that builds run under: a folder belongs to the one of its process.
 */
export async function sweepProcessFolders(
  users: UserRange | null,
  parent: string = shortTemporaryFolder(),
): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name);
    if (NAME.test(name) && (await isAbandoned(folder, users))) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function isAbandoned(folder: string, users: UserRange | null): Promise<boolean> {
  try {
    const { uid, mtimeMs } = await lstat(folder);
    const isOfBuild = users !== null && uid >= users.first && uid <= users.last;
    if (uid !== process.getuid?.() && !isOfBuild) return false;
    const entries = await readdir(folder, { withFileTypes: true });
    const sockets = entries.filter((entry) => entry.isSocket());
    if (sockets.length === 0) return Date.now() - mtimeMs > LONGEST_START_MS;
    for (const { name } of sockets) if (await listens(join(folder, name))) return false;
    return true;
  } catch (error) {
    // Removed meanwhile, or not this user's.
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["ENOENT", "EACCES", "ENOTDIR"].includes(code)) return false;
    throw error;
  }
}

/** Only a refused connection proves that no process is left. */
function listens(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "ECONNREFUSED"));
  });
}
