import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Bytes that a socket's path may have on every system: macOS has the least room. */
const LONGEST_PATH = 103;

/** A place for one process to listen at, that nobody else can reach. */
export interface ListenSocket {
  readonly path: string;
  /** Takes the socket and its folder away. Never rejects: the system tidies its temporary folder. */
  remove(): Promise<void>;
}

/** Makes a folder that is the user's alone and names a socket in it; on Windows, names a pipe. */
export async function createListenSocket(): Promise<ListenSocket> {
  if (process.platform === "win32") {
    return { path: `\\\\.\\pipe\\agate-${randomUUID()}`, remove: async () => {} };
  }
  // mkdtemp makes it with mode 0700.
  const folder = await mkdtemp(join(shortTemporaryFolder(), "agate-"));
  return {
    path: join(folder, "s"),
    remove: () => rm(folder, { recursive: true, force: true }).catch(() => {}),
  };
}

/** The system's own, unless a socket in it could not be named: then the one that is always there. */
function shortTemporaryFolder(): string {
  const folder = tmpdir();
  const longest = Buffer.byteLength(join(folder, "agate-XXXXXX", "s"));
  return longest <= LONGEST_PATH ? folder : "/tmp";
}
