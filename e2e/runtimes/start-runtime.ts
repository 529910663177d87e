import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { bundleWorker, type WorkerOptions, workerConfiguration } from "./bundle-worker.ts";
import type { RuntimeId } from "./runtimes.ts";

const MODULES = join(import.meta.dirname, "../../node_modules");
const PROGRAMS = join(import.meta.dirname, "programs");

/** Where npm puts the programs: the last place has them even where install scripts did not run. */
const PLACES: Readonly<Record<"node22" | "bun" | "deno" | "workerd", readonly string[]>> = {
  node22: ["node-22/bin/node"],
  bun: ["@oven/bun-linux-x64/bin/bun", "@oven/bun-linux-x64-baseline/bin/bun", "bun/bin/bun.exe"],
  deno: ["@deno/linux-x64-glibc/deno", "deno/deno"],
  workerd: ["@cloudflare/workerd-linux-64/bin/workerd", "workerd/bin/workerd"],
};

/** The program of a runtime; undefined where npm has not installed it (optional, or another platform). */
export function findRuntime(runtime: RuntimeId): string | undefined {
  switch (runtime) {
    case "node24":
      return process.execPath;
    case "deno-net":
      return found("deno");
    default:
      return found(runtime);
  }
}

function found(name: keyof typeof PLACES): string | undefined {
  return PLACES[name].map((place) => join(MODULES, place)).find((path) => existsSync(path));
}

export interface StartOptions {
  /** Where the platform is. */
  readonly baseUrl: string;
  readonly application: string;
  /** Variables, or bindings of a worker, beside the platform's. */
  readonly env?: Readonly<Record<string, string>>;
  /** A configuration file for `/file`. */
  readonly file?: string;
  /** Only for workerd. */
  readonly worker?: Partial<WorkerOptions>;
}

export interface RunningRuntime extends AsyncDisposable {
  readonly url: string;
  /** Everything it has printed on standard error so far. */
  stderr(): string;
}

/** Serves the workflow of `programs/` on a runtime, and waits until it listens. */
export async function startRuntime(
  runtime: RuntimeId,
  options: StartOptions,
): Promise<RunningRuntime> {
  const program = findRuntime(runtime);
  if (program === undefined) throw new Error(`${runtime} is not installed.`);
  return runtime === "workerd" ? startWorker(program, options) : serve(runtime, program, options);
}

const FLAGS: Readonly<Record<Exclude<RuntimeId, "workerd">, readonly string[]>> = {
  node22: ["--no-warnings"],
  node24: ["--no-warnings"],
  // In the repository, the SDK has a tsconfig.json beside it, which changes what its imports mean to Bun.
  bun: ["run", `--tsconfig-override=${join(PROGRAMS, "tsconfig.json")}`],
  deno: ["run", "--no-prompt", "-A"],
  "deno-net": ["run", "--no-prompt", "--allow-net"],
};

async function serve(
  runtime: Exclude<RuntimeId, "workerd">,
  program: string,
  { baseUrl, application, env, file }: StartOptions,
): Promise<RunningRuntime> {
  // Without access to the environment, the program itself has to give the settings.
  const init = runtime === "deno-net" ? { baseUrl, application } : undefined;
  const child = spawn(
    program,
    [...FLAGS[runtime], join(PROGRAMS, "serve.ts"), JSON.stringify({ file, init })],
    {
      env: { ...env, AGATE_BASE_URL: baseUrl, AGATE_APPLICATION: application, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  return running(child, child.stdout, (line) => line);
}

async function startWorker(program: string, options: StartOptions): Promise<RunningRuntime> {
  const { baseUrl, application, env = {}, worker = {} } = options;
  const folder = await mkdtemp(join(tmpdir(), "agate-worker-"));
  const bindings = { ...env, AGATE_BASE_URL: baseUrl, AGATE_APPLICATION: application };
  await writeFile(
    join(folder, "worker.js"),
    await bundleWorker(worker.entry ?? join(PROGRAMS, "worker.ts")),
  );
  await writeFile(join(folder, "config.capnp"), workerConfiguration({ bindings, ...worker }));
  const child = spawn(program, ["serve", "config.capnp", "--control-fd=3"], {
    cwd: folder,
    env: {},
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const started = await running(child, child.stdio[3] as Readable, (line) => {
    const { event, port } = JSON.parse(line) as { event: string; port?: number };
    return event === "listen" ? `http://127.0.0.1:${port}` : undefined;
  });
  return {
    ...started,
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

async function running(
  child: ChildProcess,
  output: Readable,
  addressIn: (line: string) => string | undefined,
): Promise<RunningRuntime> {
  const endWithUs = () => child.kill("SIGKILL");
  process.once("exit", endWithUs);
  const ended = once(child, "close").finally(() => process.off("exit", endWithUs));
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  const address = Promise.withResolvers<string>();
  createInterface({ input: output }).on("line", (line) => {
    const url = addressIn(line);
    if (url !== undefined) address.resolve(url);
  });
  const failed = ended.then(() => {
    throw new Error(`The runtime ended before it served:\n${stderr}`);
  });
  failed.catch(() => {});
  const url = await Promise.race([address.promise, failed]);
  return {
    url,
    stderr: () => stderr,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
