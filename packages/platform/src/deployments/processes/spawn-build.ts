import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { chmod, chown, mkdir, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { BuildPermission } from "@agate/protocol";
import { OutputSecrets, RecentLines, readLines } from "./build-output.ts";
import { createProcessFolder, type ProcessFolder } from "./process-folders.ts";
import { killGroup, type ProcessGroups } from "./process-groups.ts";

/** A program to run, and how. */
export interface BuildProgram {
  /** The build's folder: the working directory, with `entry` in it. */
  readonly folder: string;
  /** The program, relative to the folder. */
  readonly entry: string;
  /** Added to the platform's own environment, without Agate's variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Null: all rights of the platform's user, for `agate dev` and for builds from before permissions. */
  readonly restrictions: BuildRestrictions | null;
}

/** What a build's process may do: read its own files, write in a private folder, use the network. */
export interface BuildRestrictions {
  /** What it may do besides. */
  readonly allow: readonly BuildPermission[];
  /** Folders beside the build's own that it may read: its installed packages. */
  readonly readable: readonly string[];
  /** The id of the user and group that it runs under; null: the platform's own. */
  readonly user: number | null;
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
  try {
    child = await spawnProgram(program, own, onFileRead !== undefined);
    if (onFileRead !== undefined) child.on("message", (sent) => passOn(sent, onFileRead));
    groups.add(child, own.folder);
  } catch (error) {
    await own.remove();
    throw error;
  }
  const recent = new RecentLines(RECENT_LINES);
  const secrets = new OutputSecrets();
  child.on("message", (message) => secrets.take(message));
  const redaction = {
    redact: (line: string) => redactLine(secrets.redact(line)),
    get longest() {
      return secrets.longest;
    },
  };
  const follow = (stream: "stdout" | "stderr") => {
    // There is none where the system could not start it.
    const output = child[stream] as Readable | null | undefined;
    if (!output) return () => {};
    const keep = (line: string) => {
      recent.add(line);
      onLine(line, stream);
    };
    return readLines(output, keep, redaction);
  };
  const finishReading = [follow("stdout"), follow("stderr")];
  const ended = endOf(child).then(async (end): Promise<ProcessEnd> => {
    for (const finish of finishReading) finish();
    await own.remove();
    return { ...end, log: recent.list() };
  });
  return {
    pid: child.pid,
    socketPath: own.socketPath,
    ended,
    stop: (graceMs) => stop(child, ended, graceMs),
  };
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
  const { entry, environment, restrictions } = program;
  // Permissions are checked by real paths.
  const folder = restrictions === null ? program.folder : await realpath(program.folder);
  const limits = restrictions === null ? NO_LIMITS : await limitsOf(folder, restrictions, own);
  const reads = reportsReads ? `${FILE_READS.href}?report` : FILE_READS.href;
  const preloads = ["--import", GUARD.href, "--import", reads];
  const args = ["--enable-source-maps", ...limits.flags, ...preloads];
  return spawn(process.execPath, [...args, resolve(folder, entry)], {
    cwd: folder,
    env: childEnvironment(process.env, {
      ...limits.environment,
      ...environment,
      AGATE_LISTEN: `unix:${own.socketPath}`,
      PORT: "0",
      HOST: "127.0.0.1",
    }),
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    windowsHide: true,
    // The first of a group of processes.
    detached: process.platform !== "win32",
    ...(limits.user !== null && { uid: limits.user, gid: limits.user }),
  });
}

const NO_LIMITS: Limits = { flags: [], environment: {}, user: null };

interface Limits {
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly user: number | null;
}

/** Creates the folders that a restricted process may write to, and names them as its own. */
async function limitsOf(
  folder: string,
  { allow, readable, user }: BuildRestrictions,
  own: ProcessFolder,
): Promise<Limits> {
  const [home, temporary] = [join(own.folder, "home"), join(own.folder, "tmp")];
  await mkdir(home);
  await mkdir(temporary);
  if (user !== null) {
    for (const path of [own.folder, home, temporary]) await chown(path, user, user);
    // The files in it can be read by all users, the folder be entered by this group only.
    await chown(folder, 0, user);
    await chmod(folder, 0o750);
  }
  const packages = await Promise.all(readable.map((path) => realpath(path)));
  return {
    flags: permissionFlags({
      allow,
      readable: [folder, ...packages, ...PRELOAD_FILES],
      writable: [await realpath(own.folder)],
    }),
    user,
    environment: {
      HOME: home,
      USERPROFILE: home,
      TMPDIR: temporary,
      TMP: temporary,
      TEMP: temporary,
    },
  };
}

/** Beside this file: from source a `.ts`, in the built product flat beside the bundle. */
const EXTENSION = import.meta.url.endsWith(".ts") ? "ts" : "js";
const GUARD = new URL(`./child-preload.${EXTENSION}`, import.meta.url);
const FILE_READS = new URL(`./file-reads-preload.${EXTENSION}`, import.meta.url);
export const PRELOAD_FILES = [GUARD, FILE_READS].map((preload) => fileURLToPath(preload));

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
  return end;
}

async function stop(child: ChildProcess, ended: Promise<unknown>, graceMs: number): Promise<void> {
  if (graceMs > 0) child.kill("SIGTERM");
  const kill = setTimeout(() => killGroup(child), graceMs);
  await ended;
  clearTimeout(kill);
}

interface PermissionFlagsOptions {
  readonly allow: readonly BuildPermission[];
  /** Absolute paths of files and folders. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

/**
 * Node's flags for a process that reads and writes nothing but these paths. Its permission model has
 * gaps, which the other flags close:
 * - `node:sqlite` opens any file, and loads extensions: it comes with `addons` only.
 * - SIGUSR1 would let any process of the same user open a debugger in this one.
 */
function permissionFlags({ allow, readable, writable }: PermissionFlagsOptions): string[] {
  return [
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...writable.flatMap((path) => [`--allow-fs-read=${path}`, `--allow-fs-write=${path}`]),
    ...allow.map((permission) => `--allow-${permission}`),
    // What is allowed was requested and shown: a warning in every log would say nothing new.
    ...(allow.length > 0 ? ["--disable-warning=SecurityWarning"] : []),
    ...(allow.includes("addons") ? [] : ["--no-experimental-sqlite"]),
    "--disable-sigusr1",
  ];
}

/**
 * Variables of the platform that are not for builds: everything of Agate's, and what would change how
 * their Node runs or tell them how the platform was started (npm's may hold tokens of a registry, and
 * those of PostgreSQL's and ClickHouse's clients the passwords of the platform's databases).
 */
const NOT_FOR_BUILDS =
  /^(?:AGATE_.*|NODE_OPTIONS|NODE_PATH|NODE_CHANNEL_.*|NODE_UNIQUE_ID|NODE_V8_COVERAGE|NODE_COMPILE_CACHE|NODE_REPL_.*|NODE_DEBUG.*|NODE_TEST_.*|npm_.*|INIT_CWD|PG.*|CLICKHOUSE_.*)$/i;

/** The environment of a build's process: the platform's, without its own affairs, and what is added. */
function childEnvironment(
  platform: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const kept = Object.entries(platform).filter(([name]) => !NOT_FOR_BUILDS.test(name));
  return { ...Object.fromEntries(kept), ...added };
}
