import { setTimeout as delay } from "node:timers/promises";
import { isDescriptorShortage } from "../../threads/spawn-thread.ts";
import type { BuildProcess, StartBuildProcess, StartFailure } from "../build-process.ts";
import { askSocket } from "./ask-socket.ts";
import { permissionHint } from "./permission-hint.ts";
import { type SpawnedBuild, spawnBuild } from "./spawn-build.ts";

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
const MOST_HEALTH_BYTES = 1024 * 1024;
const MOST_OPENAPI_BYTES = 16 * 1024 * 1024;

/** What came of asking a process for something. */
type Answered<Value> = { readonly kind: "answered"; readonly value: Value } | Refusal;

interface Refusal {
  readonly kind: "refused";
  readonly cause: "silent" | "not-a-workflow";
  readonly reason: string;
}

/**
 * Starts a build and waits until it answers as a workflow does. Whatever else comes of it, neither a
 * process nor a socket is left behind.
 *
 * @throws the signal's reason when it fires.
 */
export const startBuildProcess: StartBuildProcess = async (program, options) => {
  const { timeoutMs, signal: aborted } = options;
  aborted?.throwIfAborted();
  const build = await spawnBuild(program, options);
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), timeoutMs);
  const patience = AbortSignal.any(aborted === undefined ? [over.signal] : [over.signal, aborted]);
  try {
    const first = await Promise.race([
      askAll(build, timeoutMs, patience),
      build.ended.then(() => "ended" as const),
    ]);
    aborted?.throwIfAborted();
    if (first === "ended") {
      const { reason, log, error } = await build.ended;
      if (isDescriptorShortage(error)) throw error;
      const told = build.pid === undefined ? reason : `${reason.slice(0, -1)} before it answered.`;
      const hint = program.restrictions === null ? undefined : permissionHint(log);
      return failure("ended", hint === undefined ? told : `${told} ${hint}`, log);
    }
    if (first.kind === "refused") {
      await build.stop(0);
      return failure(first.cause, first.reason, (await build.ended).log);
    }
    return running(build, first.value);
  } catch (error) {
    await build.stop(0);
    throw error;
  } finally {
    clearTimeout(timer);
    // Ends the asking where the process ended first.
    over.abort();
  }
};

async function askAll(
  build: SpawnedBuild,
  timeoutMs: number,
  patience: AbortSignal,
): Promise<Answered<unknown>> {
  const health = await askHealth(build.socketPath, timeoutMs, patience);
  return health.kind === "refused" ? health : askOpenapi(build.socketPath, patience);
}

/** Asks until somebody answers. A server that says it is not ready (5xx) is asked again. */
async function askHealth(
  socketPath: string,
  timeoutMs: number,
  patience: AbortSignal,
): Promise<Answered<null>> {
  const seconds = timeoutMs / 1000;
  let unready: string | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; !patience.aborted; ) {
    try {
      const { status } = await askSocket(socketPath, "/health", {
        signal: patience,
        mostBytes: MOST_HEALTH_BYTES,
      });
      if (status === 200) return { kind: "answered", value: null };
      const told = `It answered GET /health with ${status}, where a workflow answers 200`;
      if (status < 500) return notAWorkflow(`${told}.`);
      unready = `${told}, for ${seconds} s.`;
    } catch (error) {
      // The build may well listen: this process cannot connect.
      if (isDescriptorShortage(error)) throw error;
      // Nobody listens yet, or the server broke off: both may pass.
    }
    await delay(pauseMs, undefined, { signal: patience }).catch(() => {});
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
  }
  if (unready !== undefined) return notAWorkflow(unready);
  return {
    kind: "refused",
    cause: "silent",
    reason: `It did not answer GET /health on the socket of AGATE_LISTEN within ${seconds} s. A workflow listens there by ag.serve(), or by declaring routes and nothing else.`,
  };
}

async function askOpenapi(socketPath: string, patience: AbortSignal): Promise<Answered<unknown>> {
  try {
    const { status, body } = await askSocket(socketPath, "/openapi.json", {
      signal: patience,
      mostBytes: MOST_OPENAPI_BYTES,
    });
    if (status === 200) return { kind: "answered", value: JSON.parse(body) as unknown };
    return notAWorkflow(
      `It answered GET /openapi.json with ${status}, where a workflow describes itself.`,
    );
  } catch (error) {
    if (isDescriptorShortage(error)) throw error;
    const why = patience.aborted ? "it took too long" : String((error as Error).message);
    return notAWorkflow(`Its GET /openapi.json could not be read: ${why}.`);
  }
}

function notAWorkflow(reason: string): Refusal {
  return { kind: "refused", cause: "not-a-workflow", reason };
}

function failure(
  cause: StartFailure["cause"],
  reason: string,
  log: readonly string[],
): StartFailure {
  return { kind: "failed", cause, reason, log };
}

function running(build: SpawnedBuild, openapi: unknown): BuildProcess {
  const { pid, socketPath, ended, stop } = build;
  if (pid === undefined) throw new Error("A process that answers has an id.");
  return { kind: "running", pid, socketPath, openapi, ended, stop };
}
