import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, constants, realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { isDescriptorShortage } from "../../threads/spawn-thread.ts";
import type { ProcessUser } from "../processes/build-users.ts";
import { cleanEnvironment } from "../processes/child-environment.ts";
import { killGroup, type ProcessGroups } from "../processes/process-groups.ts";
import { hidePaths, platformFolders, type ShownFolder } from "../processes/server-paths.ts";
import { diskReasonOf } from "./disk-reason.ts";

export type NpmOutcome =
  | { readonly kind: "done" }
  /** `log`: the last lines that it printed. */
  | {
      readonly kind: "failed";
      readonly reason: string;
      readonly log: readonly string[];
      /** The code of a disk error, such as `ENOSPC`, if that was the cause. */
      readonly diskCode: string | null;
    };

const MOST_LINES = 20;
const MOST_OUTPUT = 64 * 1024;

/** Kills npm when the platform dies: otherwise it would leave files that no process knows of. */
const END_WITH_PLATFORM = `data:text/javascript,${encodeURIComponent(
  "process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL')); process.channel?.unref();",
)}`;

/**
 * Runs npm in a folder, without a shell. Scripts of packages run in its process group, which is
 * killed as a whole when the time is up or the signal fires.
 *
 * @throws when the platform has no file descriptor left.
 */
export async function runNpm(
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    /** What it runs as, with a cache of its own; null: this one's user. */
    readonly user: ProcessUser | null;
    /** Names of the platform's variables that it inherits beside the usual. */
    readonly passEnv: readonly string[];
    readonly groups: ProcessGroups;
  },
): Promise<NpmOutcome> {
  const { user } = options;
  const home =
    user === null
      ? ownHome(process.env)
      : { HOME: options.cwd, npm_config_cache: join(options.cwd, ".npm") };
  const environment = { ...npmEnvironment(process.env, options.passEnv), ...home };
  const npm = await findNpm(environment);
  if (npm === undefined) {
    return failed("npm was not found. It comes with Node: install it where the platform runs.");
  }
  const { cwd } = options;
  const folders: readonly ShownFolder[] = [
    [cwd, "."],
    [await realpath(cwd), "."],
    [dirname(cwd), "<data>"],
    [dirname(await realpath(cwd)), "<data>"],
    ...npm.args.slice(0, 1).map((program): ShownFolder => [dirname(dirname(program)), "<npm>"]),
    ...platformFolders(),
  ];
  const hide = hidePaths(folders);
  const stop = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  const byNode = npm.command === process.execPath;
  const child = spawn(
    npm.command,
    [...(byNode ? ["--import", END_WITH_PLATFORM] : []), ...npm.args, ...args],
    {
      cwd: options.cwd,
      env: environment,
      detached: true,
      ...user,
      stdio: ["ignore", "pipe", "pipe", ...(byNode ? ["ipc" as const] : [])],
    },
  );
  options.groups.add(child);
  const output = lastLines(child);
  const kill = () => killGroup(child);
  stop.addEventListener("abort", kill);
  if (stop.aborted) kill();
  try {
    // "close", not "exit": the output of its scripts is read to the end, too.
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    if (code === 0) return { kind: "done" };
    if (options.signal.aborted) return failed("The platform is stopping.");
    const log = output().map(hide);
    if (stop.aborted) return failed(`npm took longer than ${options.timeoutMs / 1000} s.`, log);
    const reason = `npm ended with ${code === null ? signal : `code ${code}`}.`;
    return { ...failed(reason, log), diskCode: signal === "SIGXFSZ" ? "EFBIG" : codeIn(log) };
  } catch (error) {
    if (isDescriptorShortage(error)) throw error;
    return failed(`npm could not be started: ${hide((error as Error).message)}.`);
  } finally {
    stop.removeEventListener("abort", kill);
  }
}

function failed(reason: string, log: readonly string[] = []) {
  return { kind: "failed", reason, log, diskCode: null } as const;
}

function codeIn(log: readonly string[]): string | null {
  const codes = log.map((line) => /^npm error code (\w+)$/.exec(line)?.[1] ?? "");
  return codes.find((code) => diskReasonOf(code) !== undefined) ?? null;
}

/** What builds inherit, and npm's own settings: registries, for one. */
function npmEnvironment(own: NodeJS.ProcessEnv, passed: readonly string[]): NodeJS.ProcessEnv {
  const settings = Object.entries(own).filter(([name]) => /^npm_config_/i.test(name));
  const environment = { ...cleanEnvironment(own, passed), ...Object.fromEntries(settings) };
  // Scripts of packages call `node`: the same one as ours.
  const path = environment.PATH ?? "";
  return { ...environment, PATH: `${dirname(process.execPath)}${delimiter}${path}` };
}

/** Where npm has its cache and its settings. */
function ownHome(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = ["HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"];
  return Object.fromEntries(Object.entries(own).filter(([name]) => names.includes(name)));
}

function lastLines(child: ChildProcess): () => readonly string[] {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text = (text + chunk).slice(-MOST_OUTPUT);
    });
  }
  return () => text.split("\n").filter(isRelevant).slice(-MOST_LINES);
}

/** Leaves out npm's pointer to its own log file: the client cannot read files of the platform. */
function isRelevant(line: string): boolean {
  return line.trim() !== "" && !/^npm (?:warn|error A complete log of this run)/.test(line);
}

/** A program to run, without a shell, and its first arguments. */
interface NpmProgram {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Finds npm on the `PATH`, or beside Node. It is run by the Node that runs this process, and so
 * will the build: packages with native code are made for the one that installs them.
 */
async function findNpm(environment: NodeJS.ProcessEnv): Promise<NpmProgram | undefined> {
  const folders = (environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of [...folders, dirname(process.execPath)]) {
    for (const candidate of [
      join(folder, "npm"),
      // Where Windows has it, and where Node's own archives do.
      join(folder, "node_modules/npm/bin/npm-cli.js"),
      join(folder, "../lib/node_modules/npm/bin/npm-cli.js"),
    ]) {
      const found = await programAt(candidate);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

async function programAt(candidate: string): Promise<NpmProgram | undefined> {
  const path = await realpath(candidate).catch(() => undefined);
  if (path === undefined) return undefined;
  if (path.endsWith(".js")) return { command: process.execPath, args: [path] };
  const runs = await access(path, constants.X_OK).then(
    () => process.platform !== "win32",
    () => false,
  );
  return runs ? { command: path, args: [] } : undefined;
}
