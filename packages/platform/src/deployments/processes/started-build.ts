import type { RoomClaim } from "./process-room.ts";
import type { SupervisedBuild } from "./process-slot.ts";
import type { BuildProcess, StartFailure } from "./start-build-process.ts";

/** All processes of a build, running and answering, beside those that serve. */
export interface StartedBuild {
  readonly kind: "running";
  readonly processes: readonly [BuildProcess, ...BuildProcess[]];
  /** What the first of them answered for `/openapi.json`. */
  readonly openapi: unknown;
  /** The room that they take; null where they take that of the build before. */
  readonly claim: RoomClaim | null;
  /** For a build that will not serve. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts processes of a build. If one of them cannot be started, the others are ended.
 *
 * @throws the signal's reason when it fires.
 */
export async function startProcesses(
  build: SupervisedBuild,
  count: number,
  claim: RoomClaim | null,
  signal: AbortSignal,
): Promise<StartedBuild | StartFailure> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const starts = Array.from({ length: count }, async () => {
    const started = await build.start(either);
    if (started.kind === "failed") failed.abort();
    return started;
  });
  const outcomes = await Promise.allSettled(starts);
  const started = outcomes.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const processes = started.filter((each) => each.kind === "running");
  const stop = async (graceMs: number) => {
    await Promise.all(processes.map((process) => process.stop(graceMs)));
    claim?.release();
  };
  const [first, ...others] = processes;
  if (first !== undefined && processes.length === count) {
    return {
      kind: "running",
      processes: [first, ...others],
      openapi: first.openapi,
      claim,
      stop,
    };
  }
  await stop(0);
  const failure = started.find((each) => each.kind === "failed");
  if (failure !== undefined) return failure;
  throw outcomes.find((each) => each.status === "rejected")?.reason;
}
