import type { SupervisedBuild, Supervisor } from "@agate/platform/dev";
import { crashSite } from "./crash-site.ts";
import type { DevBuilds } from "./dev-builds.ts";
import type { DevEvent } from "./dev-event.ts";

export interface DevWorkflowOptions {
  readonly builds: DevBuilds;
  readonly supervisor: Supervisor;
  /** Told what a version that answers says of itself, before it serves; gives its routes. */
  readonly onAnswering: (openapi: unknown) => Promise<readonly string[]>;
  readonly emit: (event: DevEvent) => void;
  readonly onError: (error: unknown) => void;
}

/** Serves the newest version that starts. */
export class DevWorkflow {
  readonly #options: DevWorkflowOptions;
  /** The version that is being started, where one is. */
  #starting = new AbortController();
  #bundleFile: string | undefined;

  constructor(options: DevWorkflowOptions) {
    this.#options = options;
  }

  /** Whether a version serves, or is started again for having crashed. */
  get isServing(): boolean {
    return this.#options.supervisor.build !== undefined;
  }

  /** @param since When the file was saved, or near enough: of `performance.now()`. */
  replaceBy(bundleFile: string, since: number): void {
    this.#bundleFile = bundleFile;
    // Saved again before the previous version was ready: its start is cancelled.
    this.#starting.abort();
    this.#starting = new AbortController();
    const { signal } = this.#starting;
    this.#start(this.#options.builds.take(bundleFile), since, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#options.onError(error);
    });
  }

  /** Starts the same code again: its environment has changed. */
  restart(): void {
    if (this.#bundleFile !== undefined) this.replaceBy(this.#bundleFile, performance.now());
  }

  /** Cancels a running start. The caller closes the supervisor. */
  close(): void {
    this.#starting.abort();
  }

  async #start(build: SupervisedBuild, since: number, signal: AbortSignal): Promise<void> {
    const { builds, supervisor, onAnswering, emit } = this.#options;
    const started = await build.start(signal);
    if (started.kind === "failed") {
      const { reason, log } = started;
      const problem = crashSite(builds.project.folder, log);
      emit({ event: "unusable", reason, problem, serving: this.isServing });
      return;
    }
    const routes = await onAnswering(started.openapi);
    if (signal.aborted) {
      await started.stop(0);
      return;
    }
    const isFirst = !this.isServing;
    const drain = supervisor.switchTo(build, started);
    const ms = performance.now() - since;
    emit(isFirst ? { event: "ready", routes, ms } : { event: "reloaded", ms });
    await drain.ended;
    builds.forgetBefore(build.number);
  }
}
