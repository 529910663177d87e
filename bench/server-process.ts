import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

/** A server in a process of its own. */
export interface ServerProcess extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  /** Milliseconds from the start of the process to its first answer. */
  readonly firstAnswerMs: number;
  stop(): Promise<void>;
}

/** The built command line. */
export const AGATE = join(import.meta.dirname, "../packages/cli/dist/agate.js");
const BARE = join(import.meta.dirname, "bare-server.ts");

/** The platform, which also takes OTLP over gRPC. */
export interface AgateProcess extends ServerProcess {
  readonly grpcPort: number;
}

/** The built product, as a user runs it: with its request log on. */
export async function startAgate(
  dataDirectory: string,
  environment: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<AgateProcess> {
  let grpcPort = 0;
  const server = await start(
    [AGATE, "server", "--port", "0", "--otlp-grpc", "0", "--data-dir", dataDirectory, ...options],
    (line) => {
      grpcPort ||= Number(/"otlp_grpc":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(line)?.[1] ?? 0);
      return /"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(line)?.[1];
    },
    "/health",
    () => {},
    environment,
  );
  return { ...server, grpcPort };
}

/** Runs a command of the built product to its end. */
export async function runAgate(...args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [AGATE, ...args], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`agate ${args.join(" ")} ended with ${code}`);
}

/**
 * A bare node:http server that sends what another server would, from memory.
 *
 * @param accepted What the answers may be compressed with.
 */
export function startBare(
  originPort: number,
  paths: readonly string[],
  accepted = "identity",
): Promise<ServerProcess> {
  const args = ["--no-warnings", BARE];
  return start(
    args,
    (line) => /^listening (\d+)/.exec(line)?.[1],
    "/",
    (child) => {
      child.send({ originPort, paths, accepted });
    },
  );
}

/**
 * A script of this folder that says `listening PORT` when it does.
 *
 * @param detached Whether it is in a session of its own, as processes of builds are: Linux schedules the
 *   processes of a session together, which makes calls between sessions slower on a busy machine. It must
 *   end when its parent is gone.
 */
export function startScript(
  script: string,
  environment: Readonly<Record<string, string>> = {},
  detached = false,
): Promise<ServerProcess> {
  return start(
    ["--no-warnings", script],
    (line) => /^listening (\d+)/.exec(line)?.[1],
    "/health",
    () => {},
    environment,
    detached,
  );
}

async function start(
  args: readonly string[],
  portIn: (line: string) => string | undefined,
  healthPath: string,
  onSpawn: (child: ChildProcess) => void = () => {},
  environment: Readonly<Record<string, string>> = {},
  detached = false,
): Promise<ServerProcess> {
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: { ...process.env, ...environment },
    detached,
  });
  onSpawn(child);
  const exited = once(child, "exit");
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      const found = portIn(line);
      if (found !== undefined) resolve(Number(found));
    });
    child.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}`)));
  });
  const answer = await fetch(`http://127.0.0.1:${port}${healthPath}`);
  await answer.arrayBuffer();
  const firstAnswerMs = performance.now() - started;
  const stop = async () => {
    if (child.exitCode === null) child.kill("SIGTERM");
    await exited;
  };
  return { pid: child.pid as number, port, firstAnswerMs, stop, [Symbol.asyncDispose]: stop };
}

/** A folder that is gone afterwards. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "agate-bench-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Resident memory of a process in megabytes (10^6 bytes), now or at most so far. Linux only. */
export function residentMegabytes(pid: number, when: "now" | "at-most" = "now"): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const kilobytes = (when === "now" ? /VmRSS:\s+(\d+)/ : /VmHWM:\s+(\d+)/).exec(status)?.[1];
  return (Number(kilobytes) * 1024) / 1e6;
}

/** Memory of a process that belongs to no file, in megabytes (10^6 bytes): the system cannot drop it. Linux only. */
export function anonymousMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return (Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) * 1024) / 1e6;
}

/** Waits until a process does next to nothing: its index has caught up, its garbage is collected. */
export async function untilIdle(
  pid: number,
  mostSeconds = Number.POSITIVE_INFINITY,
): Promise<void> {
  const ticks = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(" ");
    return Number(fields[13]) + Number(fields[14]);
  };
  // A tick is 10 ms of processor time.
  for (let before = ticks(), seconds = 0; seconds < mostSeconds; seconds++) {
    await pause(1000);
    const now = ticks();
    if (now - before <= 2) return;
    before = now;
  }
}
