import type { BuildPermission } from "@agate/protocol";

export interface PermissionFlagsOptions {
  readonly allow: readonly BuildPermission[];
  /** Absolute paths of files and folders. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

/**
 * Node's flags for a process that reads and writes nothing but these paths. Its permission model has
 * gaps, which the other flags close:
 * - `node:sqlite` opens any file, and loads extensions: it comes with `addons` only.
 * - SIGUSR1 would let any process of the same user open a debugger in this one.
 */
export function permissionFlags({ allow, readable, writable }: PermissionFlagsOptions): string[] {
  return [
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...writable.flatMap((path) => [`--allow-fs-read=${path}`, `--allow-fs-write=${path}`]),
    ...allow.map((permission) => `--allow-${permission}`),
    // What is allowed was requested and shown: a warning in every log would say nothing new.
    ...(allow.length > 0 ? ["--disable-warning=SecurityWarning"] : []),
    ...(allow.includes("addons") ? [] : ["--no-experimental-sqlite"]),
    "--disable-sigusr1",
  ];
}
