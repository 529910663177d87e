import { lstat, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { shortTemporaryFolder } from "./process-folder.ts";

/** What mkdtemp makes of the prefix of a process's folder. */
const NAME = /^agate-[A-Za-z0-9]{6}$/;
/** A process that is being started has no socket yet. */
const LONGEST_START_MS = 10 * 60_000;

/**
 * Removes the folders of processes whose server was killed. A folder is left alone while something
 * listens at a socket in it, and while its process may still be starting.
 */
export async function sweepProcessFolders(parent: string = shortTemporaryFolder()): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name);
    if (NAME.test(name) && (await isAbandoned(folder))) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function isAbandoned(folder: string): Promise<boolean> {
  try {
    const { uid, mtimeMs } = await lstat(folder);
    if (uid !== process.getuid?.()) return false;
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
