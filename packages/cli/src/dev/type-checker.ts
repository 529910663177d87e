import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { CodeLocation, CodeProblem } from "../packing/code-problem.ts";
import { installedPackage } from "../packing/package-folder.ts";
import type { DevEvent } from "./dev-event.ts";

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

const IN_FILE = /^(.+?)\((\d+),(\d+)\): error (TS\d+: .*)$/;
const ANYWHERE = /^error (TS\d+: .*)$/;

/**
 * The errors that `tsc --pretty false` printed. Further lines of a message are its details.
 *
 * @param folder The one that paths are relative to.
 */
export function typeErrors(folder: string, output: string): CodeProblem[] {
  const errors: { message: string; readonly location: CodeLocation | null }[] = [];
  for (const line of output.split(/\r?\n/)) {
    const [, file = "", row, column, said] = IN_FILE.exec(line) ?? [];
    const last = errors.at(-1);
    const elsewhere = ANYWHERE.exec(line)?.[1];
    if (said !== undefined) {
      errors.push({
        message: said,
        location: locationOf(folder, file, Number(row), Number(column)),
      });
    } else if (elsewhere !== undefined) {
      errors.push({ message: elsewhere, location: null });
    } else if (last !== undefined && /^\s+\S/.test(line)) {
      last.message += ` ${line.trim()}`;
    }
  }
  return errors.map((error) => ({ ...error, hint: null }));
}

function locationOf(folder: string, file: string, line: number, column: number): CodeLocation {
  return { file, line, column, length: 1, lineText: lineOf(resolve(folder, file), line) };
}

/** Empty where the file has changed since it was checked. */
function lineOf(path: string, line: number): string {
  try {
    return readFileSync(path, "utf8").split(/\r?\n/)[line - 1] ?? "";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** Errors that are shown in full; the rest is counted. */
const MOST_SHOWN = 5;

/** Tells what came of each check of the types: nothing while there is nothing wrong. */
export function reportTypes(emit: (event: DevEvent) => void): (check: TypeCheck) => void {
  let last: readonly CodeProblem[] = [];
  let lastFailure: string | undefined;
  return (check) => {
    if (check.kind === "failed") {
      if (check.reason !== lastFailure) emit({ event: "types-unchecked", reason: check.reason });
      lastFailure = check.reason;
      return;
    }
    const { errors } = check;
    if (errors.length > 0) {
      emit({
        event: "type-errors",
        problems: errors.slice(0, MOST_SHOWN),
        count: errors.length,
        unchanged: JSON.stringify(errors) === JSON.stringify(last),
      });
    } else if (last.length > 0) emit({ event: "types-fixed" });
    last = errors;
    lastFailure = undefined;
  };
}
