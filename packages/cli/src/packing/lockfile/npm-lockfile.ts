/** What is read of a `package-lock.json`, versions 2 and 3. */
export interface NpmLockfile {
  readonly lockfileVersion: number;
  /** By their folders, relative to the lockfile's; the project itself is "". */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** An installed package. What else npm wrote about it is kept as it is. */
export interface LockedPackage {
  readonly version?: string;
  /** True for a folder of this machine, whose place is `resolved`. */
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly [more: string]: unknown;
}

/** The folder in which a package finds another: the nearest `node_modules` at or above it. */
export function locate(
  has: (path: string) => boolean,
  from: string,
  name: string,
): string | undefined {
  for (let folder: string | undefined = from; folder !== undefined; folder = parentOf(folder)) {
    if (folder === "node_modules" || folder.endsWith("/node_modules")) continue;
    const path = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (has(path)) return path;
  }
  return undefined;
}

function parentOf(folder: string): string | undefined {
  if (folder === "" || folder === "..") return undefined;
  return folder.slice(0, Math.max(0, folder.lastIndexOf("/")));
}
