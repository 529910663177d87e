import type { Builds, TurnToken } from "../../registry/registry.ts";
import type { SharedBuilds } from "../../stores/registry/shared-builds.ts";
import { KeyedQueue } from "../builds/keyed-queue.ts";
import { Slots } from "../builds/slots.ts";

export interface TurnsOptions {
  readonly builds: Pick<Builds, "unfinished" | "refuseUnfinished" | "refuseUnfinishedOf">;
  /** Null for a platform alone. */
  readonly shared: Pick<SharedBuilds, "takeTurn" | "tryTurn"> | null;
  /** How many changes may be under way at the same time. */
  readonly most: number;
  /** Fires when the platform stops. */
  readonly signal: AbortSignal;
}

const INTERRUPTED = "The platform ended before the build could serve.";

/** Which build serves an application is changed by one at a time, among all replicas. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #queue = new KeyedQueue();
  readonly #slots: Slots;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#slots = new Slots(options.most);
  }

  /** For what changes it. */
  change<Result>(
    applicationId: string,
    work: (turn: TurnToken) => Promise<Result>,
  ): Promise<Result> {
    return this.#queue.run(applicationId, () =>
      this.#slots.run(() => this.#amongReplicas(applicationId, work)),
    );
  }

  /** For what follows a change: in this process alone. */
  follow<Result>(applicationId: string, work: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(applicationId, work);
  }

  /** Refuses the builds that nobody is starting any more. @returns their ids. */
  async refuseInterrupted(): Promise<readonly string[]> {
    const { builds, shared } = this.#options;
    const applications = await builds.unfinished();
    if (shared === null) return builds.refuseUnfinished(applications, INTERRUPTED);
    const interrupted: string[] = [];
    for (const id of applications) {
      await using turn = await shared.tryTurn(id);
      // Another replica is in the middle of it.
      if (turn === undefined) continue;
      interrupted.push(...(await builds.refuseUnfinishedOf(id, INTERRUPTED, turn.token)));
    }
    return interrupted;
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  async #amongReplicas<Result>(
    id: string,
    work: (turn: TurnToken) => Promise<Result>,
  ): Promise<Result> {
    const { builds, shared, signal } = this.#options;
    // The data directory is this process's alone.
    if (shared === null) return work(null);
    await using turn = await shared.takeTurn(id, signal);
    // The server that was starting one has ended or hangs: it would have the turn still.
    await builds.refuseUnfinishedOf(id, INTERRUPTED, turn.token);
    return await work(turn.token);
  }
}
