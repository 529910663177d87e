import type { LeasedProcess } from "./leases.ts";
import {
  ProcessSlot,
  type SlotOptions,
  type SlotPause,
  type SupervisedBuild,
} from "./process-slot.ts";
import type { BuildProcess } from "./start-build-process.ts";

/** The processes of one build, each in a slot of its own. */
export class SlotGroup {
  readonly build: SupervisedBuild;
  readonly #slots: readonly ProcessSlot[];

  constructor(options: SlotOptions, count: number) {
    this.build = options.build;
    this.#slots = Array.from({ length: count }, () => new ProcessSlot(options));
  }

  /** Whether the first start of each has succeeded or failed. */
  get hasSettled(): boolean {
    return this.#slots.every((slot) => slot.hasSettled);
  }

  /** Whether a process is being started in place of one that is unfit. */
  get isReplacing(): boolean {
    return this.#slots.some((slot) => slot.isReplacing);
  }

  /** The processes for new requests. */
  get serving(): readonly LeasedProcess[] {
    return this.#slots.flatMap(({ serving }) => serving ?? []);
  }

  /** The shortest of the pauses; undefined while a process serves or is being started. */
  get pause(): SlotPause | undefined {
    let shortest: SlotPause | undefined;
    for (const { pause } of this.#slots) {
      if (pause === undefined) return undefined;
      if (shortest === undefined || pause.until < shortest.until) shortest = pause;
    }
    return shortest;
  }

  /** The process for the next request. */
  leastBusy(): LeasedProcess | undefined {
    let best: LeasedProcess | undefined;
    for (const { serving } of this.#slots) {
      if (serving !== undefined && (best === undefined || comesBefore(serving, best)))
        best = serving;
    }
    return best;
  }

  /** Starts all processes but for those that run already. */
  start(running: readonly BuildProcess[] = []): void {
    for (const [index, slot] of this.#slots.entries()) {
      const process = running[index];
      if (process === undefined) void slot.start();
      else slot.serve(process);
    }
  }

  /** Starts nothing any more. @returns its processes, which keep running. */
  leave(): readonly LeasedProcess[] {
    return this.#slots.flatMap((slot) => slot.leave() ?? []);
  }
}

/** Fewest requests first; one that misses its health checks last. */
function comesBefore(one: LeasedProcess, other: LeasedProcess): boolean {
  const [isWell, isOtherWell] = [one.condition.kind === "well", other.condition.kind === "well"];
  return isWell === isOtherWell ? one.leases < other.leases : isWell;
}
