import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { realpath } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { SecretTexts } from "@agate/spans/redaction";
import type { VariableValue } from "../../registry/variables-change.ts";
import { OutputSecrets, RecentLines, readLines } from "./build-output.ts";
import {
  type BuildRestrictions,
  FILE_READS,
  GUARD,
  limitsOf,
  NO_LIMITS,
} from "./build-restrictions.ts";
import { cleanEnvironment, developerEnvironment } from "./child-environment.ts";
import { PermissionHints } from "./permission-hint.ts";
import { createProcessFolder, type ProcessFolder } from "./process-folders.ts";
import { killGroup, type ProcessGroups } from "./process-groups.ts";
import { hidePaths, platformFolders, type ShownFolder } from "./server-paths.ts";

/** A program to run, and how. */
export interface BuildProgram {
  /** The build's folder: the working directory, with `entry` in it. */
  readonly folder: string;
  /** The program, relative to the folder. */
  readonly entry: string;
  /** What it is started for, calls where nothing is said: an evaluator listens on another socket. */
  readonly purpose?: "calls" | "evaluation" | undefined;
  /** Added to what it inherits of the platform's environment. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Variables that its process gets through a pipe before its code runs: they are not in the environment
   * that it is started with, which other programs of the same user can read.
   */
  readonly variables?: readonly VariableValue[];
  /**
   * The folder that the platform keeps builds in, for a deployed one: paths of the server are replaced in
   * what it prints. `agate dev` shows them.
   */
  readonly dataFolder?: string | undefined;
  /** The most that its heap may hold; without it, what Node chooses by the machine's memory. */
  readonly heapBytes?: number | undefined;
  /** Null: all rights of the platform's user, for `agate dev` and for builds from before permissions. */
  readonly restrictions: BuildRestrictions | null;
}

export interface ProcessEnd {
  /** "It ended with code 1.", "It was killed by SIGSEGV." */
  readonly reason: string;
  readonly code: number | null;
  readonly signal: string | null;
  readonly log: readonly string[];
  /** Why the system could not spawn it. */
  readonly error?: Error;
}

/** Lines that are kept for a message about the process's end. */
const RECENT_LINES = 50;
/** How long to read the output of an ended process: a child of it may hold the pipe open. */
const LAST_OUTPUT_MS = 500;

/** A build's process, which may not answer yet. */
export interface SpawnedBuild {
  /** Undefined where the system could not start it. */
  readonly pid: number | undefined;
  readonly socketPath: string;
  /** Resolves when it is gone, and its socket with it. */
  readonly ended: Promise<ProcessEnd>;
  stop(graceMs: number): Promise<void>;
}

/** Starts a build's program as the first process of a group that cannot outlive this one. */
export async function spawnBuild(
  program: BuildProgram,
  {
    onLine,
    onFileRead,
    redactLine = (line) => line,
    groups,
  }: {
    readonly redactLine?: (line: string) => string;
    readonly onLine: (line: string, stream: "stdout" | "stderr") => void;
    readonly onFileRead?: (file: string) => void;
    readonly groups: ProcessGroups;
  },
): Promise<SpawnedBuild> {
  const own = await createProcessFolder();
  let child: ChildProcess;
  let hide: (text: string) => string;
  try {
    hide = hidePaths(await hiddenFolders(program, own));
    child = await spawnProgram(program, own, onFileRead !== undefined);
    if (onFileRead !== undefined) child.on("message", (sent) => passOn(sent, onFileRead));
    groups.add(child, own.folder);
  } catch (error) {
    await own.remove();
    throw error;
  }
  const recent = new RecentLines(RECENT_LINES);
  const hints = program.restrictions === null ? undefined : new PermissionHints();
  const variables = new SecretTexts((program.variables ?? []).filter(({ isSecret }) => isSecret));
  const secrets = new OutputSecrets();
  child.on("message", (message) => secrets.take(message));
  const redaction = {
    redact: (line: string) => redactLine(secrets.redact(variables.text(hide(line)))),
    get longest() {
      return Math.max(secrets.longest, variables.longest);
    },
  };
  const follow = (stream: "stdout" | "stderr") => {
    // There is none where the system could not start it.
    const output = child[stream] as Readable | null | undefined;
    if (!output) return () => {};
    const keep = (line: string) => {
      for (const each of [line, hints?.after(line)]) {
        if (each === undefined) continue;
        recent.add(each);
        onLine(each, stream);
      }
    };
    return readLines(output, keep, redaction);
  };
  const finishReading = [follow("stdout"), follow("stderr")];
  const ended = endOf(child).then(async (end): Promise<ProcessEnd> => {
    for (const finish of finishReading) finish();
    await own.remove();
    return { ...end, reason: hide(end.reason), log: recent.list() };
  });
  return {
    pid: child.pid,
    socketPath: own.socketPath,
    ended,
    stop: (graceMs) => stop(child, ended, graceMs),
  };
}

async function hiddenFolders(
  { folder, dataFolder, restrictions }: BuildProgram,
  own: ProcessFolder,
): Promise<readonly ShownFolder[]> {
  if (dataFolder === undefined) return [];
  const folders: readonly ShownFolder[] = [
    [folder, "."],
    ...(restrictions?.readable ?? []).map((path): ShownFolder => [path, basename(path)]),
    [dataFolder, "<data>"],
    [own.folder, "<process>"],
  ];
  const real = folders.map(
    async ([path, shown]): Promise<ShownFolder> => [await realpath(path), shown],
  );
  return [...folders, ...(await Promise.all(real)), ...platformFolders()];
}

/** Programs may send messages of their own. */
function passOn(sent: unknown, onFileRead: (file: string) => void): void {
  const { kind, path } = (sent ?? {}) as { readonly kind?: unknown; readonly path?: unknown };
  if (kind === "agate:file-read" && typeof path === "string") onFileRead(path);
}

async function spawnProgram(
  program: BuildProgram,
  own: ProcessFolder,
  reportsReads: boolean,
): Promise<ChildProcess> {
  const { entry, environment, variables = [], restrictions } = program;
  // Permissions are checked by real paths.
  const folder = restrictions === null ? program.folder : await realpath(program.folder);
  const limits = restrictions === null ? NO_LIMITS : await limitsOf(folder, restrictions, own);
  const reads = reportsReads ? `${FILE_READS.href}?report` : FILE_READS.href;
  const preloads = ["--import", GUARD.href, "--import", reads];
  const heap = program.heapBytes === undefined ? [] : [heapFlag(program.heapBytes)];
  const args = ["--enable-source-maps", ...heap, ...limits.flags, ...preloads];
  const inherited =
    restrictions === null
      ? developerEnvironment(process.env)
      : cleanEnvironment(process.env, restrictions.passEnv);
  const child = spawn(process.execPath, [...args, resolve(folder, entry)], {
    cwd: folder,
    env: {
      ...inherited,
      ...limits.environment,
      ...environment,
      ...socketVariables(program, own),
      ...(variables.length > 0 && { AGATE_VARIABLES_FD: String(VARIABLES_FD) }),
      PORT: "0",
      HOST: "127.0.0.1",
    },
    stdio: ["ignore", "pipe", "pipe", "ipc", ...(variables.length > 0 ? ["pipe" as const] : [])],
    windowsHide: true,
    // The first of a group of processes.
    detached: process.platform !== "win32",
    ...limits.user,
  });
  if (variables.length > 0) sendVariables(child, variables);
  return child;
}

/** Only one of the variables names the socket that the platform asks. */
function socketVariables(
  { purpose = "calls" }: BuildProgram,
  { socketPath, programSocketPath }: ProcessFolder,
): Readonly<Record<string, string>> {
  if (purpose === "calls") return { AGATE_LISTEN: `unix:${socketPath}` };
  return { AGATE_EVALUATOR_SOCKET: socketPath, AGATE_LISTEN: `unix:${programSocketPath}` };
}

function heapFlag(bytes: number): string {
  return `--max-old-space-size=${Math.floor(bytes / 1024 ** 2)}`;
}

/** The first descriptor after those of input, output, errors and messages. */
const VARIABLES_FD = 4;

/** child-preload.ts reads them. */
function sendVariables(child: ChildProcess, variables: readonly VariableValue[]): void {
  const pipe = child.stdio[VARIABLES_FD] as Writable | null | undefined;
  // A process that ended before it read them is told by its end; there is none if it was not started.
  pipe?.on("error", () => {});
  pipe?.end(JSON.stringify(variables.map(({ name, value }) => [name, value])));
}

async function endOf(child: ChildProcess): Promise<Omit<ProcessEnd, "log">> {
  const { promise, resolve } = Promise.withResolvers<Omit<ProcessEnd, "log">>();
  child.once("exit", (code, signal) => {
    const reason = signal === null ? `It ended with code ${code}.` : `It was killed by ${signal}.`;
    resolve({ reason, code, signal });
  });
  // A process that could not be started has no exit. Other errors (a kill that came late) have one.
  child.on("error", (error) => {
    if (child.pid !== undefined) return;
    const reason = `It could not be started: ${error.message}.`;
    resolve({ reason, code: null, signal: null, error });
  });
  const output = new Promise((closed) => child.once("close", closed));
  const end = await promise;
  await Promise.race([output, delay(LAST_OUTPUT_MS, undefined, { ref: false })]);
  // Two turns of the event loop: what it told last is read from its channel before its last output is.
  await nextTurn();
  await nextTurn();
  return end;
}

async function stop(child: ChildProcess, ended: Promise<unknown>, graceMs: number): Promise<void> {
  if (graceMs > 0) child.kill("SIGTERM");
  const kill = setTimeout(() => killGroup(child), graceMs);
  await ended;
  clearTimeout(kill);
}
