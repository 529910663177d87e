import { isBuiltin } from "node:module";
import { join } from "node:path";
import type { Metafile, OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";
import {
  declaredRange,
  installedPackage,
  nearestPackage,
  type PackageFolder,
} from "./package-folder.ts";
import type { Project } from "./project.ts";

/**
 * Where a bundle will run. `here`: in or below the project's folder, where the SDK and the project's
 * files are what they are now. `elsewhere`: in a folder of its own, with the SDK inside it.
 */
export type BundleRequest =
  | {
      readonly runs: "here";
      /** Whether packages may be declared among the devDependencies, which are installed here. */
      readonly takesDevelopmentPackages?: true;
    }
  | {
      readonly runs: "elsewhere";
      /** Whether the SDK takes the `@opentelemetry/api` that is installed there. */
      readonly sharesApi: boolean;
      /** Whether packages may be declared among the devDependencies: those of eval files are installed, too. */
      readonly takesDevelopmentPackages?: true;
    };

/** What the SDK shares with other libraries: with two copies, neither may see the other's spans. */
export const OPENTELEMETRY_API = "@opentelemetry/api";

/** Folders and archives on this machine, which can't be installed on another one. */
const LOCAL_RANGE = /^(?:file|link|portal|workspace):/;

/** Marks our own questions to esbuild's resolver, which come by this plugin again. */
const ASKED = Symbol("asked");

/**
 * Decides what is bundled: the user's own sources, which are all that lies outside of `node_modules`,
 * packages that come from folders of this machine, and `@agate/*` with what it needs. Every other
 * package stays external, is installed with the build, and must be declared in the importer's package.json.
 */
export function externalPackages(project: Project, request: BundleRequest): Plugin {
  const isHere = request.runs === "here";
  const sharesApi = !isHere && request.sharesApi;
  const takesDevelopment = request.takesDevelopmentPackages === true;
  return {
    name: "agate-external-packages",
    setup(build) {
      // Where it is installed anyway, bundling it would only take time.
      const sdk = ({ path }: OnResolveArgs) => ({ path, external: true });
      if (isHere) build.onResolve({ filter: /^@agate\/sdk(?:\/|$)/ }, sdk);
      build.onResolve({ filter: /^#/ }, resolveInSdk);
      build.onResolve({ filter: /^[^./#]/ }, (args) =>
        resolvePackage(build, project, { sharesApi, takesDevelopment }, args),
      );
    },
  };
}

/**
 * A linked SDK has a tsconfig.json beside it, which would have its say about `#serve`. The package's
 * own `imports` are meant.
 */
function resolveInSdk({ path, importer }: OnResolveArgs): OnResolveResult | undefined {
  const owner = nearestPackage(importer);
  if (owner?.json.name !== "@agate/sdk") return undefined;
  const target = (owner.json.imports?.[path] as { readonly node?: string } | undefined)?.node;
  return target === undefined ? undefined : { path: join(owner.folder, target) };
}

async function resolvePackage(
  build: PluginBuild,
  project: Project,
  { sharesApi, takesDevelopment }: { sharesApi: boolean; takesDevelopment: boolean },
  args: OnResolveArgs,
): Promise<OnResolveResult | undefined> {
  const { path, pluginData, kind, importer, resolveDir, namespace } = args;
  if (pluginData === ASKED || isBuiltin(path) || /^[a-z]+:/i.test(path)) return undefined;
  const found = await build.resolve(path, {
    kind,
    importer,
    namespace,
    resolveDir,
    with: args.with,
    pluginData: ASKED,
  });
  // Left to esbuild, whose own error has the location, and which ignores imports inside try/catch.
  if (found.errors.length > 0) return undefined;
  const bundled = {
    path: found.path,
    namespace: found.namespace,
    suffix: found.suffix,
    sideEffects: found.sideEffects,
    external: found.external,
  };
  const name = installedName(found.path);
  if (found.external || name === undefined || name.startsWith("@agate/")) return bundled;

  const owner = namespace === "file" ? (nearestPackage(importer) ?? project) : project;
  const external = { path, external: true };
  if (owner.json.name?.startsWith("@agate/") && owner.folder !== project.folder) {
    return sharesApi && name === OPENTELEMETRY_API ? external : bundled;
  }
  const range =
    declaredRange(owner, name) ??
    (takesDevelopment ? owner.json.devDependencies?.[name] : undefined);
  if (range === undefined) return { errors: [undeclared(owner, project, name)] };
  return LOCAL_RANGE.test(range) ? bundled : external;
}

/** esbuild adds the place of the import. */
function undeclared({ folder, json }: PackageFolder, project: Project, name: string) {
  const where = folder === project.folder ? "package.json" : join(folder, "package.json");
  const isForDevelopment = Object.hasOwn(json.devDependencies ?? {}, name);
  return isForDevelopment
    ? {
        text: `"${name}" is only among the devDependencies of ${where}, which are not installed where the program runs`,
        detail: `Run npm install --save-prod ${name}.`,
      }
    : {
        text: `"${name}" is not among the dependencies of ${where}: it would be missing where the program runs`,
        detail: `Run npm install ${name}.`,
      };
}

/** The package that a file belongs to, where it was installed; undefined for files of one's own. */
function installedName(path: string): string | undefined {
  return /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/
    .exec(path)?.[1]
    ?.replaceAll("\\", "/");
}

/** A package that a bundle imports when it runs. */
export interface ImportedPackage {
  readonly name: string;
  /** As it was declared. */
  readonly range: string;
  /** The folder of the package that declares it. */
  readonly declaredIn: string;
  /** The versions that are installed for the sources that import it. */
  readonly installed: ReadonlySet<string>;
}

/**
 * What a bundle leaves outside of itself, Node's own modules apart. Those of eval files may be declared
 * among the devDependencies: a bundle of the program that imports one is not made.
 */
export function importedPackages(project: Project, metafile: Metafile): readonly ImportedPackage[] {
  const left = new Set(Object.values(metafile.outputs).flatMap(({ imports }) => namesOf(imports)));
  const importers = new Map<string, Map<string, PackageFolder>>();
  for (const [input, { imports }] of Object.entries(metafile.inputs)) {
    const names = namesOf(imports).filter((name) => left.has(name));
    if (names.length === 0) continue;
    const owner = nearestPackage(join(project.folder, input)) ?? project;
    for (const name of names) {
      const owners = importers.get(name) ?? new Map();
      importers.set(name, owners.set(owner.folder, owner));
    }
  }
  return [...importers]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, owners]) => importedPackage(project, name, [...owners.values()]));
}

function importedPackage(
  project: Project,
  name: string,
  owners: readonly PackageFolder[],
): ImportedPackage {
  // What the project itself declares counts for everything that is bundled with it.
  const declaring = [project, ...owners].find((each) => anyRange(each, name) !== undefined);
  const versions = owners.map(({ folder }) => installedPackage(folder, name)?.json.version);
  return {
    name,
    range: declaring === undefined ? "*" : (anyRange(declaring, name) ?? "*"),
    declaredIn: (declaring ?? project).folder,
    installed: new Set(versions.filter((version) => version !== undefined)),
  };
}

function anyRange(owner: PackageFolder, name: string): string | undefined {
  return declaredRange(owner, name) ?? owner.json.devDependencies?.[name];
}

/** Those of two bundles that are installed together. */
export function mergedPackages(
  some: readonly ImportedPackage[],
  others: readonly ImportedPackage[],
): readonly ImportedPackage[] {
  const byName = new Map(some.map((each) => [each.name, each]));
  for (const other of others) {
    const known = byName.get(other.name) ?? other;
    byName.set(other.name, {
      ...known,
      installed: new Set([...known.installed, ...other.installed]),
    });
  }
  return [...byName.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function namesOf(
  imports: Metafile["inputs"][string]["imports"] | Metafile["outputs"][string]["imports"],
): string[] {
  return imports.flatMap(({ path, external }) => {
    if (!external || isBuiltin(path)) return [];
    const name = /^(?:@[^/]+\/)?[^/:]+/.exec(path)?.[0];
    return name === undefined || /^[a-z]+:/i.test(path) ? [] : [name];
  });
}
