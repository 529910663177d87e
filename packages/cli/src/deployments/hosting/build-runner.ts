import type { BuildProcess, StartBuildProcess, StartFailure } from "../build-process.ts";
import type { BuildStore } from "../builds/build-store.ts";
import { Slots } from "../builds/slots.ts";

export interface BuildRunnerOptions {
  readonly store: BuildStore;
  readonly start: StartBuildProcess;
  /** How long a build may take to answer. */
  readonly startMs: number;
  /** How many builds may be starting at the same time. */
  readonly mostStarts: number;
}

/** A build to run, and for whom. */
export interface BuildRun {
  readonly buildId: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly onLine: (line: string, stream: "stdout" | "stderr") => void;
  readonly signal: AbortSignal;
}

/** Starts processes of stored builds, whose packages are installed where they are not any more. */
export class BuildRunner {
  readonly #options: BuildRunnerOptions;
  readonly #slots: Slots;

  constructor(options: BuildRunnerOptions) {
    this.#options = options;
    this.#slots = new Slots(options.mostStarts);
  }

  start(run: BuildRun): Promise<BuildProcess | StartFailure> {
    // Twenty applications that start at once on two processors would all be late.
    return this.#slots.run(() => this.#start(run));
  }

  async #start(run: BuildRun): Promise<BuildProcess | StartFailure> {
    const { store, start, startMs: timeoutMs } = this.#options;
    const { buildId, environment, onLine, signal } = run;
    const manifest = await store.manifestOf(buildId);
    if (manifest === undefined) {
      return failed("Its files are not in the data directory any more: deploy it again.");
    }
    if (manifest.install !== null) {
      const install = await store.install(buildId);
      if (install.kind === "failed") {
        return failed(`Its packages could not be installed: ${install.reason}`, install.log);
      }
    }
    const folder = store.folderOf(buildId);
    const program = { folder, entry: manifest.entry, environment };
    return start(program, { onLine, timeoutMs, signal });
  }
}

function failed(reason: string, log: readonly string[] = []): StartFailure {
  return { kind: "failed", cause: "ended", reason, log };
}
