import { readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { BuildProcess, StartFailure, SupervisedBuild } from "@agate/platform/dev";
import { ProcessGroups, startBuildProcess } from "@agate/platform/dev";
import { BUNDLE_FILE, BUNDLE_MAP_FILE } from "../packing/bundle-app.ts";
import { isIncluded } from "../packing/included-files.ts";
import { readPackageJson } from "../packing/package-folder.ts";
import type { Project } from "../packing/project.ts";
import { projectSettings } from "../packing/project.ts";
import { placeBundle } from "./bundle-folder.ts";

/** Long enough for a breakpoint or a slow database at start-up. */
const START_MS = 30_000;

export interface DevBuildsOptions {
  readonly project: Project;
  /** A folder of its own inside of the project. */
  readonly folder: string;
  /** Asked at every start: a file of variables may have changed. */
  readonly environment: () => Readonly<Record<string, string>>;
  readonly onLine: (line: string, stream: "stdout" | "stderr") => void;
  /** Told of files of the project that the program reads, by each of its processes. */
  readonly onFileRead: (file: string) => void;
}

/**
 * The versions of a program under development, each in its own folder: a version that crashes is
 * restarted unchanged, even if newer code was saved meanwhile.
 */
export class DevBuilds {
  readonly #options: DevBuildsOptions;
  readonly #groups = new ProcessGroups((error) => {
    this.#options.onLine(`Programs may outlive agate dev: ${String(error)}`, "stderr");
  });
  #oldest = 1;
  #last = 0;

  constructor(options: DevBuildsOptions) {
    this.#options = options;
  }

  get project(): Project {
    return this.#options.project;
  }

  /** Takes a copy of a bundle before it is replaced by the next. */
  take(bundleFile: string): SupervisedBuild {
    this.#last++;
    const files = new Map([
      [BUNDLE_FILE, readFileSync(bundleFile)],
      [BUNDLE_MAP_FILE, readFileSync(join(dirname(bundleFile), BUNDLE_MAP_FILE))],
    ] as const);
    const program = placeBundle(files, this.#folderOf(this.#last));
    return { number: this.#last, start: (signal) => this.#start(program, signal) };
  }

  /** Deletes the versions before this one, which are not started again. */
  forgetBefore(build: number): void {
    for (; this.#oldest < build; this.#oldest++) {
      rmSync(this.#folderOf(this.#oldest), { recursive: true, force: true });
    }
  }

  #folderOf(build: number): string {
    return join(this.#options.folder, String(build));
  }

  #start(program: string, signal: AbortSignal): Promise<BuildProcess | StartFailure> {
    const { project, environment, onLine, onFileRead } = this.#options;
    // In the project's own folder, where its files are found by the paths that it uses.
    const entry = relative(project.folder, program);
    return startBuildProcess(
      { folder: project.folder, entry, environment: environment(), restrictions: null },
      { onLine, onFileRead, timeoutMs: START_MS, signal, groups: this.#groups },
    );
  }
}

/**
 * Tells, once each, of files that the program reads and that a deployed build would not have.
 *
 * @returns what is told of every file that the program reads, relative to the project's folder.
 */
export function watchUnpackedReads(
  folder: string,
  onUnpacked: (file: string) => void,
): (file: string) => void {
  const told = new Set<string>();
  return (file) => {
    if (told.has(file) || isIncluded(file, patternsNow(folder))) return;
    told.add(file);
    onUnpacked(file);
  };
}

/** As they are now: the file may have been added since the program was started. */
function patternsNow(folder: string): readonly string[] {
  try {
    const settings = projectSettings({ folder, json: readPackageJson(folder) ?? {} });
    return "kind" in settings ? [] : settings.include;
  } catch (error) {
    // Of a package.json that is no JSON the build tells.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
