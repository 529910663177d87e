import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type {
  DescribedEvaluations,
  EvaluatedBuild,
  EvaluatedFile,
  EvaluatorFailure,
  EvaluatorStart,
  Evaluators,
  RunningEvaluator,
} from "@agate/platform/dev";
import { EvaluatorClient, ProcessGroups, startBuildProcess } from "@agate/platform/dev";
import { BUNDLE_FILE, bundleEvals } from "../packing/bundle-app.ts";
import { type CodeProblem, formatProblems } from "../packing/code-problem.ts";
import { evalFilesOf } from "../packing/find-eval-files.ts";
import type { Project } from "../packing/project.ts";
import { placeBundle } from "./bundle-folder.ts";
import { crashSite } from "./crash-site.ts";
import type { DevEvent } from "./dev-event.ts";

export interface DevEvaluatorsOptions {
  readonly project: Project;
  /** A folder of its own inside of the project. */
  readonly folder: string;
  /** The id of the application in the registry; undefined until it is registered. */
  readonly applicationId: () => string | undefined;
  /** Asked at every start: a file of variables may have changed. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  readonly emit: (event: DevEvent) => void;
  /** Those of builds that were deployed to this platform. */
  readonly ofBuilds: Evaluators;
}

/** Long enough for a breakpoint or a slow database at start-up. */
const START_MS = 30_000;
/** How long an evaluator may take to send its last spans. */
const END_MS = 10_000;
/** Runs whose bundles are kept: more than a platform carries out at the same time. */
export const MOST_RUNS = 10;

/** Eval files and the code that they import, as they were once. */
interface EvalBundle {
  readonly kind: "bundle";
  readonly folder: string;
  readonly program: string;
}

/**
 * The evaluators of the project that `agate dev` serves. Its eval files are bundled when evaluations are
 * listed and when a run starts. A run keeps the bundle that it began with, also when files are saved meanwhile.
 */
export class DevEvaluators implements Evaluators {
  readonly #options: DevEvaluatorsOptions;
  readonly #groups = new ProcessGroups((error) => {
    this.#print(`Programs may outlive agate dev: ${String(error)}`, "stderr");
  });
  readonly #described = new Map<EvalBundle, Promise<DescribedEvaluations>>();
  readonly #ofRuns = new Map<string, EvalBundle>();
  #newest: EvalBundle | undefined;
  /** What the terminal shows about the eval files; empty where nothing is wrong. */
  #shown = "";

  constructor(options: DevEvaluatorsOptions) {
    this.#options = options;
  }

  async newest(
    application: Pick<EvaluatedBuild, "project" | "application">,
  ): Promise<EvaluatedBuild | undefined> {
    const { project, applicationId, ofBuilds } = this.#options;
    const isServed = application.application.id === applicationId();
    const hasFiles = isServed && (await evalFilesOf(project)).length > 0;
    return hasFiles ? { ...application, build: null } : ofBuilds.newest(application);
  }

  async describe(build: EvaluatedBuild, run?: string): Promise<DescribedEvaluations> {
    if (build.build !== null) return this.#options.ofBuilds.describe(build);
    const bundle = run === undefined ? await this.#bundle() : await this.#bundleOf(run);
    if (bundle.kind === "failed") return bundle;
    const describing = this.#described.get(bundle) ?? this.#describe(bundle);
    this.#described.set(bundle, describing);
    const described = await describing;
    // It may need a database that is there the next time.
    if (described.kind === "failed") this.#described.delete(bundle);
    else this.#show([], null);
    return described;
  }

  async start(
    build: EvaluatedBuild,
    environment: string,
    options: EvaluatorStart,
  ): Promise<RunningEvaluator | EvaluatorFailure> {
    if (build.build !== null) return this.#options.ofBuilds.start(build, environment, options);
    const bundle = await (options.run === undefined ? this.#bundle() : this.#bundleOf(options.run));
    if (bundle.kind === "failed") return bundle;
    const onLine = (line: string, stream: "stdout" | "stderr") => {
      this.#print(line, stream);
      options.onLine(line);
    };
    return this.#start(bundle, { onLine, signal: options.signal });
  }

  async readFile(build: EvaluatedBuild, path: string): Promise<EvaluatedFile> {
    const { project, ofBuilds } = this.#options;
    if (build.build !== null) return ofBuilds.readFile(build, path);
    const file = resolve(project.folder, path);
    const within = relative(project.folder, file);
    if (isAbsolute(within) || within.split(sep)[0] === "..") return { kind: "missing" };
    try {
      return { kind: "file", bytes: await readFile(file) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "EISDIR" || code === "ENOTDIR") return { kind: "missing" };
      throw error;
    }
  }

  /** That of a run, for all of its processes: the one that its evaluations were last read from. */
  async #bundleOf(run: string): Promise<EvalBundle | EvaluatorFailure> {
    const kept = this.#ofRuns.get(run);
    if (kept !== undefined) return kept;
    const bundle = this.#newest ?? (await this.#bundle());
    if (bundle.kind === "failed") return bundle;
    this.#ofRuns.set(run, bundle);
    const [oldest] = this.#ofRuns.keys();
    if (this.#ofRuns.size > MOST_RUNS && oldest !== undefined) {
      const dropped = this.#ofRuns.get(oldest);
      this.#ofRuns.delete(oldest);
      if (dropped !== undefined) this.#forget(dropped);
    }
    return bundle;
  }

  /** The files as they are now. */
  async #bundle(): Promise<EvalBundle | EvaluatorFailure> {
    const { project, folder } = this.#options;
    const built = await bundleEvals(project, await evalFilesOf(project));
    if (built.kind === "broken") {
      const reason = "The eval files cannot be built.";
      this.#show(built.problems, reason);
      const text = formatProblems(built.problems, (_style, line) => line).trimEnd();
      return { kind: "failed", reason, log: text.split("\n") };
    }
    const hash = createHash("sha256")
      .update(built.files.get(BUNDLE_FILE) ?? "")
      .digest("hex");
    const place = join(folder, hash.slice(0, 16));
    const before = this.#newest;
    if (before?.folder === place) return before;
    const kept = [...this.#ofRuns.values()].find((bundle) => bundle.folder === place);
    this.#newest = kept ?? {
      kind: "bundle",
      folder: place,
      program: placeBundle(built.files, place),
    };
    if (before !== undefined) this.#forget(before);
    return this.#newest;
  }

  /** Deletes a bundle that neither a run nor a list needs. */
  #forget(bundle: EvalBundle): void {
    const isNeeded = () =>
      this.#newest?.folder === bundle.folder || [...this.#ofRuns.values()].includes(bundle);
    if (isNeeded()) return;
    const describing = this.#described.get(bundle);
    this.#described.delete(bundle);
    void Promise.resolve(describing).finally(() => {
      if (!isNeeded()) rmSync(bundle.folder, { recursive: true, force: true });
    });
  }

  async #describe(bundle: EvalBundle): Promise<DescribedEvaluations> {
    // The page asks often: what the files print is shown once, when they run.
    const { signal } = new AbortController();
    const started = await this.#start(bundle, { signal, onLine: () => {} });
    if (started.kind === "failed") {
      const problem = crashSite(this.#options.project.folder, started.log);
      this.#show(problem === null ? [] : [problem], started.reason);
      return started;
    }
    try {
      using client = new EvaluatorClient(started.socketPath);
      return { kind: "described", evaluations: await client.evaluations() };
    } catch (error) {
      const reason = `The evaluations could not be listed: ${(error as Error).message}`;
      return { kind: "failed", reason, log: [] };
    } finally {
      await started.stop(END_MS);
    }
  }

  async #start(
    { program }: EvalBundle,
    {
      signal,
      onLine,
    }: {
      readonly signal: AbortSignal;
      readonly onLine: (line: string, stream: "stdout" | "stderr") => void;
    },
  ): Promise<RunningEvaluator | EvaluatorFailure> {
    const { project, environment } = this.#options;
    const started = await startBuildProcess(
      {
        // In the project's own folder, where its files are found by the paths that it uses.
        folder: project.folder,
        entry: relative(project.folder, program),
        purpose: "evaluation",
        environment: await environment(),
        restrictions: null,
      },
      { onLine, timeoutMs: START_MS, signal, groups: this.#groups },
    );
    if (started.kind === "running") return started;
    return { kind: "failed", reason: started.reason, log: started.log };
  }

  /** Tells the terminal what is wrong with the eval files, or no longer is, once. */
  #show(problems: readonly CodeProblem[], reason: string | null): void {
    const shown = reason === null ? "" : JSON.stringify([reason, problems]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const { emit } = this.#options;
    if (reason === null) emit({ event: "evals-fixed" });
    else emit({ event: "evals-broken", problems, reason });
  }

  #print(line: string, stream: "stdout" | "stderr"): void {
    this.#options.emit({ event: "output", stream, line });
  }
}
