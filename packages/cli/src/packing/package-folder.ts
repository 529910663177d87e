import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What is read of a `package.json`. */
export interface PackageJson {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly engines?: { readonly node?: string };
  readonly overrides?: unknown;
  /** Agate's own settings; not checked here. */
  readonly agate?: unknown;
  readonly bin?: unknown;
  readonly imports?: Readonly<Record<string, unknown>>;
}

/** A folder with a `package.json`. */
export interface PackageFolder {
  readonly folder: string;
  readonly json: PackageJson;
}

/** The package that a file belongs to: the nearest folder above it with a `package.json`. */
export function nearestPackage(file: string): PackageFolder | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const json = readPackageJson(folder);
    if (json !== undefined) return { folder, json };
    if (dirname(folder) === folder) return undefined;
  }
}

/** @throws SyntaxError which names the file, where it is no JSON object. */
export function readPackageJson(folder: string): PackageJson | undefined {
  const file = join(folder, "package.json");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
  return parseObject(text, file) as PackageJson;
}

/** A file that must be a JSON object. */
export function parseObject(text: string, file: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(`${file} is not JSON: ${(error as Error).message}.`, { cause: error });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new SyntaxError(`${file} is no JSON object.`);
}

/** The range by which a package says that it needs another when it runs. */
export function declaredRange({ json }: PackageFolder, name: string): string | undefined {
  for (const field of [json.dependencies, json.optionalDependencies, json.peerDependencies]) {
    if (field !== undefined && Object.hasOwn(field, name)) return field[name];
  }
  return undefined;
}

/** Where a package is installed for files of a folder, as Node finds it. */
export function installedPackage(folder: string, name: string): PackageFolder | undefined {
  for (let from = folder; ; from = dirname(from)) {
    const installed = join(from, "node_modules", name);
    const json = readPackageJson(installed);
    if (json !== undefined) return { folder: installed, json };
    if (dirname(from) === from) return undefined;
  }
}
