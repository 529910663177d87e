import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { CodeProblem } from "../packing/code-problem.ts";
import { installedPackage } from "../packing/package-folder.ts";
import { typeErrors } from "./type-errors.ts";

/** Saves that follow each other closely are checked once. */
const DEBOUNCE_MS = 200;

export type TypeCheck =
  | { readonly kind: "checked"; readonly errors: readonly CodeProblem[] }
  /** The compiler did not get as far as checking. */
  | { readonly kind: "failed"; readonly reason: string };

export interface TypeCheckerOptions {
  /** The project's, with its `tsconfig.json`. */
  readonly folder: string;
  /** Where the compiler keeps what it knows from the check before. */
  readonly cacheFolder: string;
  readonly onChecked: (check: TypeCheck) => void;
}

/**
 * Checks a project's types with its own TypeScript, in a process of the lowest priority. A project
 * without `tsconfig.json` or without TypeScript is not checked.
 */
export class TypeChecker {
  readonly #options: TypeCheckerOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: ChildProcess | undefined;

  constructor(options: TypeCheckerOptions) {
    this.#options = options;
  }

  /** Checks soon; a check that runs is given up, for its files have changed. */
  checkSoon(): void {
    this.close();
    this.#timer = setTimeout(() => this.#check(), DEBOUNCE_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#running?.kill("SIGKILL");
    this.#running = undefined;
  }

  #check(): void {
    const { folder, cacheFolder, onChecked } = this.#options;
    const tsc = findTsc(folder);
    if (tsc === undefined) return;
    const cache = join(cacheFolder, "types.tsbuildinfo");
    const options = ["--noEmit", "--pretty", "false", "--incremental", "--tsBuildInfoFile", cache];
    const child = spawn(process.execPath, [tsc, "--project", TSCONFIG, ...options], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    this.#running = child;
    lowerPriority(child);
    void this.#outcome(child).then((check) => {
      if (this.#running !== child) return;
      this.#running = undefined;
      onChecked(check);
    });
  }

  async #outcome(child: ChildProcess): Promise<TypeCheck> {
    const end = new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("close", (code, signal) => resolve(`${signal ?? `exit code ${code}`}`));
    });
    const [how, output, complaint] = await Promise.all([
      end,
      // There is none where the system could not start it.
      child.stdout ? text(child.stdout) : "",
      child.stderr ? text(child.stderr) : "",
    ]);
    const errors = typeErrors(this.#options.folder, output);
    if (errors.length > 0 || child.exitCode === 0) return { kind: "checked", errors };
    const last = `${output}\n${complaint}`.trim().split("\n").at(-1);
    return { kind: "failed", reason: [how, last].filter(Boolean).join(": ") };
  }
}

const TSCONFIG = "tsconfig.json";

/** The program of the project's own compiler: a JavaScript file, even where the compiler is native. */
function findTsc(folder: string): string | undefined {
  if (!existsSync(join(folder, TSCONFIG))) return undefined;
  const typescript = installedPackage(folder, "typescript");
  const program = (typescript?.json.bin as { readonly tsc?: unknown } | undefined)?.tsc;
  if (typescript === undefined || typeof program !== "string") return undefined;
  return join(typescript.folder, program);
}

/** Serving comes first. */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or the system does not permit it: it is checked at the usual priority.
  }
}
