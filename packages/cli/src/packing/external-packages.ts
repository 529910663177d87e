import { isBuiltin } from "node:module";
import { join } from "node:path";
import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";
import type { BundleRequest } from "./bundle-request.ts";
import { declaredRange, nearestPackage, type PackageFolder } from "./package-folder.ts";
import type { Project } from "./project.ts";

/** What the SDK shares with other libraries: with two copies, neither may see the other's spans. */
export const OPENTELEMETRY_API = "@opentelemetry/api";

/** Folders and archives on this machine, which nobody else can install. */
const LOCAL_RANGE = /^(?:file|link|portal|workspace):/;

/** Marks our own questions to esbuild's resolver, which come by this plugin again. */
const ASKED = Symbol("asked");

/**
 * Decides what is bundled: the user's own sources, which are all that lies outside of `node_modules`,
 * packages that come from folders of this machine, and `@agate/*` with what it needs. Every other
 * package stays outside, to be installed, and must be declared by whoever imports it.
 */
export function externalPackages(project: Project, request: BundleRequest): Plugin {
  const isHere = request.runs === "here";
  const sharesApi = !isHere && request.sharesApi;
  return {
    name: "agate-external-packages",
    setup(build) {
      // Where it is installed anyway, bundling it would only take time.
      const sdk = ({ path }: OnResolveArgs) => ({ path, external: true });
      if (isHere) build.onResolve({ filter: /^@agate\/sdk(?:\/|$)/ }, sdk);
      build.onResolve({ filter: /^#/ }, resolveInSdk);
      build.onResolve({ filter: /^[^./#]/ }, (args) =>
        resolvePackage(build, project, sharesApi, args),
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
  sharesApi: boolean,
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
  // esbuild says it better when it comes to it by itself: with the place, and not where it is caught.
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
  const range = declaredRange(owner, name);
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
