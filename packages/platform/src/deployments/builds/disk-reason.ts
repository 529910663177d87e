import { RegistryUnavailableError } from "../../stores/store-errors.ts";

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full.",
  EDQUOT: "The disk is full.",
  EFBIG: "The disk is full.",
  EROFS: "The data directory is read-only.",
  EIO: "The disk reported an error.",
};

/** What another program, npm say, was told by the disk. */
export class DiskError extends Error {
  override readonly name = "DiskError";
  readonly code: string;

  constructor(code: string) {
    super(diskReasonOf(code) ?? code);
    this.code = code;
  }
}

/** Why the disk, or the registry on it, does not take something now; undefined for any other error. */
export function diskReason(error: unknown): string | undefined {
  if (error instanceof RegistryUnavailableError) return error.reason;
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return typeof code === "string" ? diskReasonOf(code) : undefined;
}

/** Whether this is the code of an error of the disk, and what it means. */
export function diskReasonOf(code: string): string | undefined {
  return Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
}
