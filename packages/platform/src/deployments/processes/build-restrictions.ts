import { chmod, chown, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildPermission } from "@agate/protocol";
import type { ProcessUser } from "./build-users.ts";
import type { ProcessFolder } from "./process-folders.ts";

/** What a build's process may do: read its own files, write in a private folder, use the network. */
export interface BuildRestrictions {
  /** What it may do besides. */
  readonly allow: readonly BuildPermission[];
  /** Folders beside the build's own that it may read: its installed packages. */
  readonly readable: readonly string[];
  /** The user and group that it runs under; null: the platform's own. */
  readonly user: ProcessUser | null;
  /** Names of the platform's variables that it inherits beside the usual: `--pass-env`. */
  readonly passEnv: readonly string[];
}

/** Of a program with all rights of the platform. */
export const NO_LIMITS: ProcessLimits = { flags: [], environment: {}, user: null };

/** What a process is started with. */
export interface ProcessLimits {
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly user: ProcessUser | null;
}

/** Creates the folders that a restricted process may write to, and names them as its own. */
export async function limitsOf(
  folder: string,
  { allow, readable, user }: BuildRestrictions,
  own: ProcessFolder,
): Promise<ProcessLimits> {
  const [home, temporary] = [join(own.folder, "home"), join(own.folder, "tmp")];
  await mkdir(home);
  await mkdir(temporary);
  if (user !== null) {
    for (const path of [own.folder, home, temporary]) await chown(path, user.uid, user.gid);
    // The files in it can be read by all users, the folder be entered by this group only.
    await chown(folder, 0, user.gid);
    await chmod(folder, 0o750);
  }
  const packages = await Promise.all(readable.map((path) => realpath(path)));
  return {
    flags: permissionFlags({
      allow,
      readable: [folder, ...packages, ...PRELOAD_FILES],
      writable: [await realpath(own.folder)],
    }),
    user,
    environment: {
      HOME: home,
      USERPROFILE: home,
      TMPDIR: temporary,
      TMP: temporary,
      TEMP: temporary,
    },
  };
}

/** Beside this file: from source a `.ts`, in the built product flat beside the bundle. */
const EXTENSION = import.meta.url.endsWith(".ts") ? "ts" : "js";
export const GUARD = new URL(`./child-preload.${EXTENSION}`, import.meta.url);
export const FILE_READS = new URL(`./file-reads-preload.${EXTENSION}`, import.meta.url);
export const PRELOAD_FILES = [GUARD, FILE_READS].map((preload) => fileURLToPath(preload));

interface PermissionFlagsOptions {
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
function permissionFlags({ allow, readable, writable }: PermissionFlagsOptions): string[] {
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
