import type { Registry } from "../../registry/registry.ts";
import type { BuildStore } from "../builds/build-store.ts";
import { whatIsKept } from "../builds/kept-builds.ts";
import type { BuildLogs } from "./build-logs.ts";

export interface SweeperOptions {
  readonly registry: Registry;
  readonly store: BuildStore;
  readonly logs: BuildLogs;
  /** Ids of the builds that serve here: one may be old, where its successors could not be started. */
  readonly serving: () => readonly string[];
  readonly onError: (error: unknown) => void;
}

/** Removes files that nobody needs any more: of old builds, of deleted applications, of crashes. */
export class Sweeper {
  readonly #options: SweeperOptions;
  /** Builds that are in use though they are old. */
  readonly #held = new Set<string>();
  #sweep: Promise<void> | undefined;
  #isWanted = false;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /** Sweeps in the background: once more after a sweep that is under way, however often it is asked. */
  sweepSoon(): void {
    this.#isWanted = true;
    this.#sweep ??= this.#sweepWhileWanted();
  }

  /** Keeps the files of a build, however old it is, until it is disposed of. */
  hold(buildId: string): Disposable {
    this.#held.add(buildId);
    return { [Symbol.dispose]: () => this.#held.delete(buildId) };
  }

  /** Resolves when nothing is being removed. */
  async idle(): Promise<void> {
    this.#isWanted = false;
    await this.#sweep;
  }

  async #sweepWhileWanted(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      await this.#sweepAll().catch(this.#options.onError);
    }
    // In the turn that saw that no more is wanted: a request that comes later must start a new sweep.
    this.#sweep = undefined;
  }

  async #sweepAll(): Promise<void> {
    const { registry, store, logs, serving } = this.#options;
    await store.sweep(async () => {
      const { builds } = await whatIsKept(registry);
      return new Set([...builds, ...this.#held, ...serving()]);
    });
    await logs.sweep(async () => (await whatIsKept(registry)).applications);
  }
}
