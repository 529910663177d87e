/** The name of the manifest in a build's folder. */
export const BUILD_MANIFEST_FILE = "agate-build.json";

/** The version of the format that this code writes and reads. */
export const BUILD_FORMAT = 1;

/**
 * What a program may request beyond reading its own files and using the network: loading native
 * addons, starting child processes, starting worker threads.
 */
export const BUILD_PERMISSIONS = ["addons", "child-process", "worker"] as const;
export type BuildPermission = (typeof BUILD_PERMISSIONS)[number];

/** The manifest of a build archive: docs/reference/build-archive.md. */
export interface BuildManifest {
  readonly format: typeof BUILD_FORMAT;
  /** The slug that the build was packed for. The deploy request names the target application. */
  readonly application: string;
  /** The program, relative to the build's folder. */
  readonly entry: string;
  /** The program of its eval files, relative to the build's folder; absent where it has none. */
  readonly evals?: string | undefined;
  readonly sdk_version: string;
  /** The supported versions of Node, for display: `>=22.15`. */
  readonly node: string;
  /** Packages to install before it runs; null for a build without external packages. */
  readonly install: BuildInstall | null;
  /** What the program requests beyond the default: `agate.allow` of its package.json; none if absent. */
  readonly allow?: readonly BuildPermission[] | undefined;
  /** Every file of the archive but the manifest itself, by path. */
  readonly files: readonly BuildFile[];
}

export interface BuildInstall {
  readonly package_manager: "npm";
  /** The SHA-256 of `package-lock.json`, which pins everything that is installed. */
  readonly lock_hash: string;
}

export interface BuildFile {
  /** Relative, with `/`, without `.` and `..`. */
  readonly path: string;
  readonly size: number;
  /** In lower-case hex. */
  readonly sha256: string;
}
