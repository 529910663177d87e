import { CommandFailure } from "./failures.ts";

/** Why the file system refuses, and what to do: what happens to anybody, and is no fault of the program. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied. Change its permissions, or choose another place.",
  EPERM: "permission denied. Change its permissions, or choose another place.",
  EROFS: "it is on a read-only disk. Choose another place.",
  ENOSPC: "the disk is full. Make room, and try again.",
  EDQUOT: "the disk is full. Make room, and try again.",
  EFBIG: "no file may be that large here. Lift the limit, or choose another place.",
};

/** What Node threw for a file, in one sentence; undefined for any other error. */
export function fileRefusal(error: unknown): CommandFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = "", path, syscall } = error as NodeJS.ErrnoException;
  // An open file has no name any more. Sockets have no path either, and are none of this.
  const what = path ?? (syscall === "write" ? "A file" : undefined);
  const reason = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  if (what === undefined || reason === undefined) return undefined;
  return new CommandFailure(`${what} cannot be used: ${reason}`);
}
