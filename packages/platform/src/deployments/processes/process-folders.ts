import { randomBytes } from "node:crypto";
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UserRange } from "./build-users.ts";

/** Bytes that a socket's path may have on every system: macOS has the least room. */
const LONGEST_PATH = 103;
/** Of the socket's name: too many to be guessed. */
const NAME_BYTES = 16;

/** A folder of one process, with the socket that it listens at. */
export interface ProcessFolder {
  readonly folder: string;
  readonly socketPath: string;
  /** Where an evaluator's program listens that calls `ag.serve` itself. */
  readonly programSocketPath: string;
  /** Removes the folder. Never rejects: the system tidies its temporary folder. */
  remove(): Promise<void>;
}

/**
 * Creates a folder that is the user's alone and names a socket in it; on Windows, a pipe. The name is
 * random, because Node's permission model does not keep a build from connecting to a socket whose path
 * it knows.
 */
export async function createProcessFolder(): Promise<ProcessFolder> {
  const place = () => {
    const name = randomBytes(NAME_BYTES).toString("base64url");
    return process.platform === "win32" ? `\\\\.\\pipe\\agate-${name}` : join(folder, name);
  };
  // mkdtemp makes it with mode 0700.
  const folder = await mkdtemp(join(shortTemporaryFolder(), "agate-"));
  return {
    folder,
    socketPath: place(),
    programSocketPath: place(),
    remove: () => rm(folder, { recursive: true, force: true }).catch(() => {}),
  };
}

/** The system's own, unless a socket in it could not be named: then the one that is always there. */
export function shortTemporaryFolder(): string {
  const folder = tmpdir();
  const name = "X".repeat(Math.ceil((NAME_BYTES * 4) / 3));
  const longest = Buffer.byteLength(join(folder, "agate-XXXXXX", name));
  return longest <= LONGEST_PATH ? folder : "/tmp";
}

/** What mkdtemp makes of the prefix of a process's folder. */
const NAME = /^agate-[A-Za-z0-9]{6}$/;
/** A process that is being started has no socket yet, or one that refuses connections until it listens. */
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
    if (Date.now() - mtimeMs <= LONGEST_START_MS) return false;
    const entries = await readdir(folder, { withFileTypes: true });
    const sockets = entries.filter((entry) => entry.isSocket());
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
