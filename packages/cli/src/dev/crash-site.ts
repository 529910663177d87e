import { readFileSync } from "node:fs";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { CodeLocation, CodeProblem } from "../packing/code-problem.ts";
import { slashed } from "../packing/project.ts";

const FRAME = /^\s+at .*?((?:file:\/\/)?(?:\/|[A-Z]:\\)[^():]*):(\d+):(\d+)\)?$/;

/**
 * Where in the project's own files a program threw, by the stack that it printed: of the innermost
 * cause that has such a place. Null where none does.
 */
export function crashSite(folder: string, log: readonly string[]): CodeProblem | null {
  for (const stack of stacksIn(log).toReversed()) {
    for (const frame of stack.frames) {
      const location = locationOf(folder, frame);
      if (location !== null) return { message: stack.message, hint: null, location };
    }
  }
  return null;
}

interface Stack {
  readonly message: string;
  readonly frames: readonly string[];
}

/** Runs of lines that begin with `at`, each with the line before it. */
function stacksIn(log: readonly string[]): Stack[] {
  const stacks: { message: string; frames: string[] }[] = [];
  let before = "";
  for (const line of log) {
    const isFrame = /^\s+at /.test(line);
    if (isFrame && !/^\s+at /.test(before)) {
      stacks.push({ message: before.replace(/^\s*\[cause\]: /, "").trim(), frames: [] });
    }
    if (isFrame) stacks.at(-1)?.frames.push(line);
    before = line;
  }
  return stacks;
}

function locationOf(folder: string, frame: string): CodeLocation | null {
  const [, place = "", line, column] = FRAME.exec(frame) ?? [];
  const path = place.startsWith("file:") ? fileURLToPath(place) : place;
  if (!path.startsWith(folder + sep) || path.includes(`${sep}node_modules${sep}`)) return null;
  const lineText = textOfLine(path, Number(line));
  if (lineText === undefined) return null;
  const file = slashed(relative(folder, path));
  return { file, line: Number(line), column: Number(column), length: 1, lineText };
}

/** Undefined where the file has changed too much to have it, or is gone. */
function textOfLine(path: string, line: number): string | undefined {
  try {
    return readFileSync(path, "utf8").split(/\r?\n/)[line - 1];
  } catch {
    return undefined;
  }
}
