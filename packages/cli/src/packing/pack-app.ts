import { createHash } from "node:crypto";
import { BUILD_FORMAT, BUILD_MANIFEST_FILE, type BuildManifest } from "@agate/protocol";
import {
  type BrokenCode,
  BUNDLE_FILE,
  type Bundle,
  bundleApp,
  bundleEvalsElsewhere,
  EVALS_FILE,
} from "./bundle-app.ts";
import type { CodeProblem } from "./code-problem.ts";
import {
  type ImportedPackage,
  importedPackages,
  mergedPackages,
  OPENTELEMETRY_API,
} from "./external-packages.ts";
import { includedFiles } from "./included-files.ts";
import { type InstallPlan, planInstall, skippedInstallScripts } from "./install-plan.ts";
import {
  appName,
  openProject,
  type Project,
  projectSettings,
  type Refusal,
  refused,
} from "./project.ts";

export interface PackOptions {
  /** The application's slug; without it one that fits the project: see `appName`. */
  readonly application?: string | undefined;
  /**
   * Patterns of files that the program reads, relative to the project's folder: in addition to those
   * of its package.json.
   */
  readonly include?: readonly string[] | undefined;
  /** Finds the eval files, which become a program of their own; without it they are left out. */
  readonly findEvals?: ((project: Project) => Promise<readonly string[]>) | undefined;
  /** Variables that may name the application; without them those of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** A build, ready to be archived or written. */
export interface PackedBuild {
  readonly kind: "packed";
  readonly manifest: BuildManifest;
  /** Everything, the manifest included, by path, sorted. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** What has to be installed where it runs. */
  readonly packages: readonly ImportedPackage[];
  /** How many eval files are packed. */
  readonly evalFiles: number;
  readonly warnings: readonly CodeProblem[];
}

/** The program can be bundled, but its eval files cannot. */
export interface BrokenEvals {
  readonly kind: "broken-evals";
  readonly problems: BrokenCode["problems"];
}

export type PackOutcome = PackedBuild | BrokenCode | BrokenEvals | Refusal;

/**
 * Makes a build of a user's program: docs/reference/build-archive.md. The same sources give the same
 * bytes.
 *
 * @example
 * const outcome = await packApp("app.ts", { application: "support" });
 */
export async function packApp(entryFile: string, options: PackOptions): Promise<PackOutcome> {
  const project = await openProject(entryFile);
  if (project.kind === "refused") return project;
  const application = options.application ?? appName(project, options.env ?? process.env);
  if (application === undefined) {
    return refused(
      `${project.folder} has no name that the application could use. Name it with --app.`,
    );
  }
  const evalFiles = (await options.findEvals?.(project)) ?? [];
  return packProject(project, application, options.include ?? [], evalFiles);
}

async function packProject(
  project: Project,
  application: string,
  include: readonly string[],
  evalFiles: readonly string[],
): Promise<PackOutcome> {
  const settings = projectSettings(project);
  if ("kind" in settings) return settings;
  const { allow } = settings;
  const included = await includedFiles(project.folder, [
    ...settings.include.map((pattern) => ({ pattern, source: '"agate.include" of package.json:' })),
    ...include.map((pattern) => ({ pattern, source: "--include" })),
  ]);
  if (included.kind === "refused") return included;
  const bundled = await bundleForInstall(project, evalFiles);
  if (bundled.kind !== "planned") return bundled;
  const { bundle, evals, plan, packages } = bundled;
  const lock = plan.lockfile === null ? null : jsonFile(withNpmFields(plan.lockfile));
  const files = new Map<string, Uint8Array>([
    ...bundle.files,
    ...(evals?.files ?? []),
    ...included.files,
    ["package.json", jsonFile(plan.packageJson)],
    ...(lock === null ? [] : [["package-lock.json", lock] as const]),
  ]);
  const manifest: BuildManifest = {
    format: BUILD_FORMAT,
    application,
    entry: BUNDLE_FILE,
    // Left out, as allow is, where servers need not know it.
    ...(evals !== null && { evals: EVALS_FILE }),
    sdk_version: project.sdk.version,
    node: project.json.engines?.node ?? project.sdk.json.engines?.node ?? "*",
    // Left out where there is none: servers from before it was known take such manifests.
    ...(allow.length > 0 && { allow }),
    install: lock === null ? null : { package_manager: "npm", lock_hash: sha256(lock) },
    files: sorted(files).map(([path, bytes]) => ({
      path,
      size: bytes.byteLength,
      sha256: sha256(bytes),
    })),
  };
  files.set(BUILD_MANIFEST_FILE, jsonFile(manifest));
  const warnings = [...warningsOf(bundle, evals), ...skippedInstallScripts(plan, allow)];
  return {
    kind: "packed",
    manifest,
    files: new Map(sorted(files)),
    packages,
    evalFiles: evalFiles.length,
    warnings,
  };
}

interface PlannedBundle {
  readonly kind: "planned";
  readonly bundle: Bundle;
  /** Null where there are no eval files. */
  readonly evals: Bundle | null;
  readonly plan: InstallPlan;
  readonly packages: readonly ImportedPackage[];
}

/**
 * Bundles, and finds out what is left to install. Where OpenTelemetry's API is installed anyway, the
 * SDK uses that copy instead of one of its own: it is where libraries meet.
 */
async function bundleForInstall(
  project: Project,
  evalFiles: readonly string[],
): Promise<PlannedBundle | BrokenCode | BrokenEvals | Refusal> {
  const alone = await plannedBundle(project, evalFiles, false);
  if (alone.kind !== "planned") return alone;
  const locations = Object.keys(alone.plan.lockfile?.packages ?? {});
  const isInstalled = locations.some((path) => path.endsWith(`node_modules/${OPENTELEMETRY_API}`));
  return isInstalled ? plannedBundle(project, evalFiles, true) : alone;
}

async function plannedBundle(
  project: Project,
  evalFiles: readonly string[],
  sharesApi: boolean,
): Promise<PlannedBundle | BrokenCode | BrokenEvals | Refusal> {
  const bundle = await bundleApp(project, { runs: "elsewhere", sharesApi });
  if (bundle.kind === "broken") return bundle;
  const evals =
    evalFiles.length === 0 ? null : await bundleEvalsElsewhere(project, evalFiles, { sharesApi });
  if (evals?.kind === "broken") return { kind: "broken-evals", problems: evals.problems };
  const packages = mergedPackages(
    importedPackages(project, bundle.metafile),
    evals === null ? [] : importedPackages(project, evals.metafile),
  );
  const plan = await planInstall(project, packages);
  return plan.kind === "refused" ? plan : { kind: "planned", bundle, evals, plan, packages };
}

/** Both bundles have the program's sources: a warning about one of them is given once. */
function warningsOf(bundle: Bundle, evals: Bundle | null): readonly CodeProblem[] {
  const all = [...bundle.warnings, ...(evals?.warnings ?? [])];
  return [...new Map(all.map((warning) => [JSON.stringify(warning), warning])).values()];
}

/** In npm's own order. */
function withNpmFields({ lockfileVersion, packages }: NonNullable<InstallPlan["lockfile"]>) {
  return { name: packages[""]?.name, lockfileVersion, requires: true, packages };
}

function jsonFile(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** By code units, so that the order does not depend on the machine's locale. */
function sorted<T>(files: ReadonlyMap<string, T>): [string, T][] {
  return [...files].toSorted(([one], [other]) => (one < other ? -1 : 1));
}
