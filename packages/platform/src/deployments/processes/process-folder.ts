import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Bytes that a socket's path may have on every system: macOS has the least room. */
const LONGEST_PATH = 103;
/** Of the socket's name: too many to be guessed. */
const NAME_BYTES = 16;

/** A folder of one process, with the socket that it listens at. */
export interface ProcessFolder {
  readonly folder: string;
  readonly socketPath: string;
  /** Removes the folder. Never rejects: the system tidies its temporary folder. */
  remove(): Promise<void>;
}

/**
 * Creates a folder that is the user's alone and names a socket in it; on Windows, a pipe. The name is
 * random, because Node's permission model does not keep a build from connecting to a socket whose path
 * it knows.
 */
export async function createProcessFolder(): Promise<ProcessFolder> {
  const name = randomBytes(NAME_BYTES).toString("base64url");
  // mkdtemp makes it with mode 0700.
  const folder = await mkdtemp(join(shortTemporaryFolder(), "agate-"));
  return {
    folder,
    socketPath: process.platform === "win32" ? `\\\\.\\pipe\\agate-${name}` : join(folder, name),
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
