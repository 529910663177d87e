import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { isDescriptorShortage } from "../../threads/spawn-thread.ts";
import { permissionHint } from "./permission-hint.ts";
import type { ProcessGroups } from "./process-groups.ts";
import {
  type BuildProgram,
  type ProcessEnd,
  type SpawnedBuild,
  spawnBuild,
} from "./spawn-build.ts";

/** Why a process could not be used. `log`: its last lines of output, oldest first. */
export interface StartFailure {
  readonly kind: "failed";
  /**
   * `ended`: it exited before it answered. `silent`: it did not answer `/health` in time.
   * `not-a-workflow`: it answered, but not as a workflow does. `no-room`: it was not even started, as
   * the server runs as many processes as it may.
   */
  readonly cause: "ended" | "silent" | "not-a-workflow" | "no-room";
  /** One sentence: "It ended with code 1 before it listened." */
  readonly reason: string;
  readonly log: readonly string[];
}

/** A build's program, running and answering `/health`. */
export interface BuildProcess {
  readonly kind: "running";
  readonly pid: number;
  readonly socketPath: string;
  /** Its parsed `/openapi.json`. */
  readonly openapi: unknown;
  /** Resolves when the process has ended. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Sends SIGTERM, and SIGKILL after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts a program and waits until it answers.
 *
 * @throws when the platform has no file descriptor left: that is no fault of the program.
 */
export type StartBuildProcess = (
  program: BuildProgram,
  options: {
    /** Redacts a line of output, beside the values of `ag.secret`, which are always redacted. */
    readonly redactLine?: (line: string) => string;
    /** Called with every line of output, redacted. */
    readonly onLine: (line: string, stream: "stdout" | "stderr") => void;
    /** Called once for each file of its folder that it reads, relative to the folder. For `agate dev`. */
    readonly onFileRead?: (file: string) => void;
    readonly timeoutMs: number;
    readonly signal?: AbortSignal;
    /** Ends the process and all its children when this process ends, even by SIGKILL. */
    readonly groups: ProcessGroups;
  },
) => Promise<BuildProcess | StartFailure>;

const TIMEOUT_STEPS = 10;
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
 * Starts a build and waits until it answers as a workflow. On any other outcome, the process and its
 * socket are removed.
 *
 * @throws the signal's reason when it fires.
 */
export const startBuildProcess: StartBuildProcess = async (program, options) => {
  const { timeoutMs, signal: aborted } = options;
  aborted?.throwIfAborted();
  const build = await spawnBuild(program, options);
  const over = new AbortController();
  // In steps, of which a server that was suspended misses all but one: when it goes on, a program that has
  // become ready in the meantime is asked before its time is over.
  let steps = 0;
  const timer = setInterval(() => {
    steps += 1;
    if (steps === TIMEOUT_STEPS) over.abort();
  }, timeoutMs / TIMEOUT_STEPS);
  const timeout = AbortSignal.any(aborted === undefined ? [over.signal] : [over.signal, aborted]);
  try {
    const first = await Promise.race([
      askAll(build, timeoutMs, timeout),
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
    clearInterval(timer);
    // Ends the asking where the process ended first.
    over.abort();
  }
};

async function askAll(
  build: SpawnedBuild,
  timeoutMs: number,
  timeout: AbortSignal,
): Promise<Answered<unknown>> {
  const health = await askHealth(build.socketPath, timeoutMs, timeout);
  return health.kind === "refused" ? health : askOpenapi(build.socketPath, timeout);
}

/** Polls `/health` until it is answered. A 5xx answer (not ready) is retried. */
async function askHealth(
  socketPath: string,
  timeoutMs: number,
  timeout: AbortSignal,
): Promise<Answered<null>> {
  const seconds = timeoutMs / 1000;
  let unready: string | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; !timeout.aborted; ) {
    try {
      const { status } = await askSocket(socketPath, "/health", {
        signal: timeout,
        mostBytes: MOST_HEALTH_BYTES,
      });
      if (status === 200) return { kind: "answered", value: null };
      const told = `It answered GET /health with ${status}, where a workflow answers 200`;
      if (status < 500) return notAWorkflow(`${told}.`);
      unready = `${told}, for ${seconds} s.`;
    } catch (error) {
      // The build may well listen: this process cannot connect.
      if (isDescriptorShortage(error)) throw error;
      // The build does not listen yet, or closed the connection: both are transient.
    }
    await delay(pauseMs, undefined, { signal: timeout }).catch(() => {});
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
  }
  if (unready !== undefined) return notAWorkflow(unready);
  return {
    kind: "refused",
    cause: "silent",
    reason: `It did not answer GET /health on the socket of AGATE_LISTEN within ${seconds} s. A workflow listens there by ag.serve(), or by declaring routes and nothing else.`,
  };
}

async function askOpenapi(socketPath: string, timeout: AbortSignal): Promise<Answered<unknown>> {
  try {
    const { status, body } = await askSocket(socketPath, "/openapi.json", {
      signal: timeout,
      mostBytes: MOST_OPENAPI_BYTES,
    });
    if (status === 200) return { kind: "answered", value: JSON.parse(body) as unknown };
    return notAWorkflow(
      `It answered GET /openapi.json with ${status}, where a workflow describes itself.`,
    );
  } catch (error) {
    if (isDescriptorShortage(error)) throw error;
    const why = timeout.aborted ? "it took too long" : faultOf(error as NodeJS.ErrnoException);
    return notAWorkflow(`Its GET /openapi.json could not be read: ${why}.`);
  }
}

/** Without the path of the socket. */
function faultOf({ code, syscall, message }: NodeJS.ErrnoException): string {
  return syscall === undefined ? message : `${syscall} ${code}`;
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

export interface SocketAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * One GET over a socket, on a connection of its own.
 *
 * @throws when nothing listens there, the answer breaks off or is larger, or the signal fires.
 */
export function askSocket(
  socketPath: string,
  path: string,
  options: { readonly signal: AbortSignal; readonly mostBytes: number },
): Promise<SocketAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<SocketAnswer>();
  const asking = request(
    { socketPath, path, agent: false, signal: options.signal, headers: { host: "localhost" } },
    (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= options.mostBytes) chunks.push(chunk);
        else answer.destroy(new RangeError(`it is larger than ${options.mostBytes} bytes`));
      });
      answer.on("end", () => {
        resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") });
      });
      answer.on("error", reject);
    },
  );
  asking.on("error", reject);
  asking.end();
  return promise;
}
