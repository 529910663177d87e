const CODES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "ERR_WORKER_INIT_FAILED"]);
/** What SQLite says when it cannot open a file, of an error that came from another thread. */
const CANNOT_OPEN = "unable to open database file";

/** Whether something failed because the process, or the machine, has no file descriptor left. */
export function isDescriptorShortage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (CODES.has((error as NodeJS.ErrnoException).code)) return true;
  return error.message === CANNOT_OPEN || isDescriptorShortage(error.cause);
}
