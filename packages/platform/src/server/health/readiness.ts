import { rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What must be in order before a server takes calls. */
export type ReadinessCheck = "builds" | "disk" | "store" | "registry" | "secrets";

export interface ReadinessOptions {
  /** Whether live builds have not been started yet. In memory: asked at every request. */
  readonly isStarting: () => boolean;
  /** Each rejects, for the log, while it finds something wrong. */
  readonly probes: Readonly<
    Partial<Record<Exclude<ReadinessCheck, "builds" | "secrets">, () => Promise<unknown>>>
  >;
  /**
   * Why stored secrets cannot be read here, for the log; undefined where they can. Which keys they have
   * is in the registry: while that does not answer, its own check fails, and the last finding counts.
   */
  readonly secrets?: () => Promise<string | undefined>;
  /** Told when other checks fail than before; with none, the server is ready. */
  readonly onChange: (failing: readonly FailedCheck[]) => void;
  readonly limits?: Partial<ReadinessLimits>;
}

export interface ReadinessLimits {
  /** How long the outcome of a probe is kept: requests in that time cost nothing. */
  readonly keepMs: number;
  /** A probe that takes longer counts as failed. */
  readonly answerMs: number;
}

export interface FailedCheck {
  readonly check: ReadinessCheck;
  /** For the log only: it may name what clients must not see. */
  readonly reason: string;
}

const LIMITS: ReadinessLimits = { keepMs: 2_000, answerMs: 2_000 };

/**
 * Tells whether a server can take calls. However often it is asked, each probe runs at most once in
 * {@link ReadinessLimits.keepMs}, and never twice at the same time.
 */
export class Readiness {
  readonly #options: ReadinessOptions;
  readonly #probes: readonly CachedProbe[];
  #known: string | undefined;

  constructor(options: ReadinessOptions) {
    this.#options = options;
    const limits = { ...LIMITS, ...options.limits };
    const { secrets } = options;
    this.#probes = [
      ...Object.entries(options.probes).map(
        ([check, run]) => new CachedProbe(check as ReadinessCheck, foundNothing(run), limits),
      ),
      ...(secrets ? [new CachedProbe("secrets", secrets, limits, "as before")] : []),
    ];
  }

  /** The checks that fail; none when the server is ready. Never rejects. */
  async failing(): Promise<readonly FailedCheck[]> {
    const outcomes = await Promise.all(this.#probes.map((probe) => probe.outcome()));
    const failing = outcomes.filter((outcome) => outcome !== "passed");
    if (this.#options.isStarting()) {
      failing.unshift({ check: "builds", reason: "Live builds are being started." });
    }
    this.#tell(failing);
    return failing;
  }

  #tell(failing: readonly FailedCheck[]): void {
    const names = failing.map(({ check }) => check).join();
    if (names === this.#known) return;
    this.#known = names;
    this.#options.onChange(failing);
  }
}

type Outcome = FailedCheck | "passed";

/** Resolves with a fault that it has found. */
type Probe = () => Promise<string | undefined>;

/** Of a probe that only rejects. */
function foundNothing(run: () => Promise<unknown>): Probe {
  return async () => void (await run());
}

class CachedProbe {
  readonly #check: ReadinessCheck;
  readonly #run: Probe;
  readonly #limits: ReadinessLimits;
  /** What it counts as where the probe rejects, or does not answer in time. */
  readonly #unanswered: "failed" | "as before";
  #found: Outcome = "passed";
  #latest: Promise<Outcome> | undefined;
  /** In `performance.now()`; endless while it is not known yet. */
  #freshUntil = 0;
  /** One that did not answer in time and may still be under way. */
  #running: Promise<Outcome> | undefined;

  constructor(
    check: ReadinessCheck,
    run: Probe,
    limits: ReadinessLimits,
    unanswered: "failed" | "as before" = "failed",
  ) {
    this.#check = check;
    this.#run = run;
    this.#limits = limits;
    this.#unanswered = unanswered;
  }

  outcome(): Promise<Outcome> {
    if (this.#latest !== undefined && performance.now() < this.#freshUntil) return this.#latest;
    this.#freshUntil = Number.POSITIVE_INFINITY;
    this.#latest = this.#inTime().finally(() => {
      this.#freshUntil = performance.now() + this.#limits.keepMs;
    });
    return this.#latest;
  }

  async #inTime(): Promise<Outcome> {
    this.#running ??= this.#probe().finally(() => {
      this.#running = undefined;
    });
    const late = Promise.withResolvers<Outcome>();
    const timer = setTimeout(
      () => late.resolve(this.#withoutAnswer(`No answer within ${this.#limits.answerMs} ms.`)),
      this.#limits.answerMs,
    );
    const outcome = await Promise.race([this.#running, late.promise]);
    clearTimeout(timer);
    return outcome;
  }

  async #probe(): Promise<Outcome> {
    try {
      const fault = await this.#run();
      this.#found = fault === undefined ? "passed" : { check: this.#check, reason: fault };
      return this.#found;
    } catch (error) {
      return this.#withoutAnswer(error instanceof Error ? error.message : String(error));
    }
  }

  #withoutAnswer(reason: string): Outcome {
    return this.#unanswered === "failed" ? { check: this.#check, reason } : this.#found;
  }
}

/** Where the probe is written. A file that a killed server has left is overwritten by the next probe. */
const PROBE = "readiness-probe.tmp";
const PROBE_BYTES = 64 * 1024;
/** A batch of spans and SQLite's log need room before the disk is full to the last byte. */
const LEAST_FREE_BYTES = 16 * 1024 ** 2;

/**
 * Rejects while a folder cannot be written to. Free space alone does not tell: a quota, a read-only or
 * a failing disk shows at a write.
 */
export async function checkDisk(
  folder: string,
  leastFreeBytes: number = LEAST_FREE_BYTES,
): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < leastFreeBytes) throw new Error(`Only ${free} bytes are free.`);
  const file = join(folder, PROBE);
  try {
    await writeFile(file, Buffer.alloc(PROBE_BYTES), { mode: 0o600 });
  } finally {
    await rm(file, { force: true });
  }
}
