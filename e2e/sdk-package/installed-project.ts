import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { build } from "esbuild";
import { SDK } from "./dist-graph.ts";

const run = promisify(execFile);
const QUIET = ["--no-audit", "--no-fund", "--prefer-offline"];
const COMPILER = join(import.meta.dirname, "../../node_modules/typescript/bin/tsc");

/** A user's project outside the repository, with the packed SDK installed in it. */
export interface InstalledProject extends AsyncDisposable {
  readonly folder: string;
  readonly tarball: string;
  install(...packages: string[]): Promise<void>;
  /** Its sources as the programs that a user's build makes of them. */
  compile(...sources: string[]): Promise<void>;
  /** What TypeScript has against some of its sources; nothing, if it is content. */
  check(settings: object, sources: readonly string[], compiler?: string): Promise<string>;
}

export async function installProject(): Promise<InstalledProject> {
  await using made = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "agate-sdk-"));
  made.defer(() => rm(folder, { recursive: true, force: true }));
  await run("npm", ["pack", SDK, "--pack-destination", folder], { cwd: folder });
  const tarball = join(folder, (await readdir(folder))[0]!);
  await cp(join(import.meta.dirname, "project"), folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const install = async (...packages: string[]) => {
    await run("npm", ["install", ...QUIET, ...packages], { cwd: folder });
  };
  await install(tarball);
  const parts = made.move();
  return {
    folder,
    tarball,
    install,
    async compile(...sources) {
      await build({
        absWorkingDir: folder,
        entryPoints: sources,
        outdir: folder,
        bundle: true,
        packages: "external",
        format: "esm",
        // Node has neither decorators nor, before 24, `using`.
        target: "es2022",
      });
    },
    async check(settings, sources, compiler = COMPILER) {
      const project = join(folder, "tsconfig.json");
      const compilerOptions = { ...STRICT, ...settings };
      await writeFile(project, JSON.stringify({ compilerOptions, files: sources }));
      try {
        await run(process.execPath, [compiler, "-p", project], { cwd: folder });
        return "";
      } catch (error) {
        return (error as { stdout?: string }).stdout || String(error);
      }
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

const STRICT = {
  target: "es2022",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  skipLibCheck: false,
  noEmit: true,
};

/** A Node of another version, from the package that its makers publish for this machine. */
export async function installNode(project: InstalledProject, version: string): Promise<string> {
  const { platform, arch } = process;
  const prefix = platform === "darwin" && arch === "arm64" ? "node-bin" : "node";
  const name = `${prefix}-${platform === "win32" ? "win" : platform}-${arch}`;
  await project.install(`${name}@${version}`);
  const folder = join(project.folder, "node_modules", name);
  const { bin } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  return join(folder, bin.node);
}

export interface RunningProgram extends AsyncDisposable {
  readonly child: ChildProcess;
  /** The first line that it printed. */
  readonly line: string;
}

/** Starts a program of the project's and waits for its first line. */
export async function startProgram(
  node: string,
  { folder }: InstalledProject,
  program: string,
): Promise<RunningProgram> {
  const child = spawn(node, [program], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const end = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  const [line] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    ended.then(([code]) => Promise.reject(new Error(`${program} ended with ${code}.`))),
  ]);
  return { child, line, [Symbol.asyncDispose]: end };
}

/** Runs a line of code in the project's folder, and gives what it printed, read as JSON. */
export async function evaluate(
  node: string,
  { folder }: InstalledProject,
  code: string,
): Promise<unknown> {
  const { stdout } = await run(node, ["--input-type=module", "--eval", code], { cwd: folder });
  return JSON.parse(stdout);
}
