import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildContext } from "esbuild";
import {
  type BrokenCode,
  BUNDLE_FILE,
  type Bundle,
  type BundleOptions,
  bundleOptions,
  bundleOutcome,
} from "./bundle-app.ts";
import type { CodeProblem } from "./code-problem.ts";
import { openProject, type Project, type Refusal } from "./project.ts";
import { SourceWatcher } from "./source-watcher.ts";

/** A program that runs the user's code as it is now. */
export interface FreshBundle {
  readonly kind: "bundled";
  /** Its file. It finds packages where the project's own files do. */
  readonly entry: string;
  readonly warnings: readonly CodeProblem[];
  /** How long it took. */
  readonly milliseconds: number;
}

export interface WatchOptions {
  /** Gets the first bundle and every other one after it, or what is wrong with the code. */
  readonly onOutcome: (outcome: FreshBundle | BrokenCode) => void;
  /** Told of every good build, also of one that changes no byte of the bundle: of types alone, say. */
  readonly onBuilt?: (() => void) | undefined;
  /** Unexpected errors, such as a full disk. */
  readonly onError: (error: unknown) => void;
  /** Where the bundle is written, in or below the project's folder; without it below `node_modules`. */
  readonly folder?: string;
}

export interface AppWatcher extends AsyncDisposable {
  readonly kind: "watching";
  readonly project: Project;
}

/**
 * Bundles a program and bundles it again whenever its sources change. Where the code is broken, the
 * last good bundle stays as it is.
 *
 * @example
 * await using watcher = await watchApp("app.ts", { onOutcome, onError });
 */
export async function watchApp(
  entryFile: string,
  options: WatchOptions,
): Promise<AppWatcher | Refusal> {
  const project = await openProject(entryFile);
  if (project.kind === "refused") return project;
  const folder = options.folder ?? join(project.folder, "node_modules", ".agate");
  const { onOutcome, onError } = options;

  const sources = new SourceWatcher(project, () => void rebuild().catch(onError));
  const { context } = await import("esbuild");
  const common = bundleOptions(project, { runs: "here" });
  const builder = await context({
    ...common,
    plugins: [sources.plugin(), ...(common.plugins ?? [])],
  });
  let last: Bundle | BrokenCode | undefined;
  const rebuild = (): Promise<void> =>
    sources.during(async () => {
      const begun = performance.now();
      const outcome = await bundleOutcome(project, () => builder.rebuild());
      const isNew = !isSame(outcome, last);
      last = outcome;
      if (outcome.kind === "broken") return onOutcome(outcome);
      options.onBuilt?.();
      // Editors also save unchanged files: no restart is needed for those.
      if (!isNew) return;
      await writeBundle(folder, outcome);
      const milliseconds = performance.now() - begun;
      onOutcome({
        kind: "bundled",
        entry: join(folder, BUNDLE_FILE),
        warnings: outcome.warnings,
        milliseconds,
      });
    });
  try {
    await rebuild();
  } catch (error) {
    await close(sources, builder);
    throw error;
  }
  return { kind: "watching", project, [Symbol.asyncDispose]: () => close(sources, builder) };
}

async function close(sources: SourceWatcher, builder: BuildContext<BundleOptions>): Promise<void> {
  await sources.close();
  await builder.dispose();
}

function isSame(outcome: Bundle | BrokenCode, last: Bundle | BrokenCode | undefined): boolean {
  if (outcome.kind !== "bundle" || last?.kind !== "bundle") return false;
  const bytes = last.files.get(BUNDLE_FILE);
  return (
    bytes !== undefined && Buffer.compare(bytes, outcome.files.get(BUNDLE_FILE) ?? bytes) === 0
  );
}

/** Each file appears whole: a program may be started from them at any moment. */
async function writeBundle(folder: string, { files }: Bundle): Promise<void> {
  await mkdir(folder, { recursive: true });
  const all = new Map<string, string | Uint8Array>([
    ["package.json", '{ "type": "module" }\n'],
    ...files,
  ]);
  for (const [name, bytes] of [...all].toReversed()) {
    await writeFile(join(folder, `${name}.new`), bytes);
    await rename(join(folder, `${name}.new`), join(folder, name));
  }
}
