import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { CodeLocation, CodeProblem } from "../packing/code-problem.ts";

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
