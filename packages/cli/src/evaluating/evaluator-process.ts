import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Connection } from "../api-client/connection.ts";
import { createBundleFolder, placeBundle } from "../dev/bundle-folder.ts";
import { readEnvFile, unsetIn } from "../dev/env-file.ts";
import { nameApp, nameVariables } from "../dev/name-app.ts";
import { type BrokenCode, bundleEvals } from "../packing/bundle-app.ts";
import type { Project, Refusal } from "../packing/project.ts";
import type { FetchedBuild } from "./fetch-build.ts";

export interface EvaluatorOptions {
  readonly project: Project;
  readonly files: readonly string[];
  /** The application's slug; without it the one that the environment or the project says. */
  readonly application: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Where configurations are from. Without it, they are those of the code or its file. */
  readonly platform: EvaluatorPlatform | undefined;
  /** What the program prints. */
  readonly onOutput: (text: string) => void;
}

export interface EvaluatorPlatform extends Connection {
  readonly getsTraces: boolean;
}

export type EvaluatorOutcome =
  | EvaluatorProcess
  /** The program ended before it listened; it has printed why. */
  | { readonly kind: "threw"; readonly exit: string }
  | BrokenCode
  | Refusal;

/** How long a process may take to send its last spans. */
const END_MS = 10_000;
/** How long a build may take to start: as long as a platform gives it. */
const START_MS = 30_000;

/** The process that runs routes and scorers for a run. It ends with this one. */
export class EvaluatorProcess implements AsyncDisposable {
  readonly kind = "started";
  readonly socketPath: string;
  readonly #child: ChildProcess;
  readonly #folders: readonly string[];

  constructor(child: ChildProcess, socketPath: string, folders: readonly string[]) {
    this.#child = child;
    this.socketPath = socketPath;
    this.#folders = folders;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endProcess(this.#child);
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }
}

/** Bundles eval files with the application and starts them, on a socket that only this user can reach. */
export async function startEvaluator(options: EvaluatorOptions): Promise<EvaluatorOutcome> {
  const { project, files } = options;
  const bundle = await bundleEvals(project, files);
  // Its own process is needed no more.
  const { stop } = await import("esbuild");
  await stop();
  if (bundle.kind === "broken") return bundle;
  const variables = variablesOf(options);
  if ("kind" in variables) return variables;
  const folder = createBundleFolder(project, "eval");
  if (typeof folder !== "string") return folder;
  const program = placeBundle(bundle.files, folder);
  return spawnEvaluator({ program, cwd: project.folder, folders: [folder] }, variables, options);
}

/** Starts a build of a platform as an evaluator, with the variables that this code has. */
export async function startBuildEvaluator(
  { folder, entry }: FetchedBuild,
  options: Omit<EvaluatorOptions, "files">,
): Promise<EvaluatorOutcome> {
  const variables = variablesOf(options);
  if ("kind" in variables) return variables;
  const program = { program: join(folder, entry), cwd: folder, folders: [] };
  return spawnEvaluator(program, variables, { ...options, timeoutMs: START_MS });
}

/** What the program finds in its environment. */
function variablesOf(
  options: Omit<EvaluatorOptions, "files">,
): { readonly env: NodeJS.ProcessEnv } | Refusal {
  const { project, env } = options;
  const variables = { ...unsetIn(env, readEnvFile(project.folder)), ...env };
  const application = nameApp(project, options.application, variables);
  if (typeof application !== "string") return application;
  return {
    env: {
      ...variables,
      ...nameVariables(application, options.application, variables),
      ...platformVariables(options.platform),
    },
  };
}

interface SpawnOptions extends Pick<EvaluatorOptions, "onOutput"> {
  /** Without it, the program may take as long as it needs. */
  readonly timeoutMs?: number;
}

async function spawnEvaluator(
  program: { readonly program: string; readonly cwd: string; readonly folders: readonly string[] },
  { env }: { readonly env: NodeJS.ProcessEnv },
  { onOutput, timeoutMs }: SpawnOptions,
): Promise<EvaluatorOutcome> {
  // Made with mode 0700. Not in the project: paths of sockets are short.
  const sockets = mkdtempSync(join(tmpdir(), "agate-eval-"));
  const socketPath = join(sockets, "evaluator.sock");
  const child = spawn(process.execPath, ["--enable-source-maps", program.program], {
    cwd: program.cwd,
    env: {
      ...env,
      AGATE_EVALUATOR_SOCKET: socketPath,
      // Where the program itself calls `ag.serve`.
      AGATE_LISTEN: `unix:${join(sockets, "app.sock")}`,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // Ctrl-C is for this process, which lets running calls end.
    detached: true,
    windowsHide: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", onOutput);
  }
  const evaluator = new EvaluatorProcess(child, socketPath, [...program.folders, sockets]);
  const timer = timeoutMs && setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  const exit = await listeningOrExit(child);
  clearTimeout(timer);
  if (exit === undefined) return evaluator;
  await evaluator[Symbol.asyncDispose]();
  return { kind: "threw", exit };
}

function platformVariables(
  platform: EvaluatorOptions["platform"],
): Readonly<Record<string, string | undefined>> {
  if (platform === undefined) return { AGATE_BASE_URL: undefined };
  const { url, apiKey, project, getsTraces } = platform;
  return {
    AGATE_BASE_URL: url,
    AGATE_API_KEY: apiKey,
    AGATE_PROJECT: project,
    AGATE_CONFIG_FILE: undefined,
    ...(!getsTraces && { AGATE_TELEMETRY_DISABLED: "1" }),
  };
}

/** Undefined when it listens, else how it ended. */
function listeningOrExit(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("message", () => resolve(undefined));
    // Not "exit": what it printed last has been read by then.
    child.once("close", (code, signal) =>
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
  });
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
  await ended;
  clearTimeout(timer);
}
