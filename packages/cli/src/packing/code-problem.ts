import type { Location, Message } from "esbuild";

/** What is wrong with a user's code, and where. */
export interface CodeProblem {
  readonly message: string;
  /** What to do about it, where that is known. */
  readonly hint: string | null;
  /** Null where it belongs to no line. */
  readonly location: CodeLocation | null;
}

export interface CodeLocation {
  /** Relative to the project's folder, with `/`. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in characters. */
  readonly column: number;
  /** How many characters are meant. */
  readonly length: number;
  readonly lineText: string;
}

/** esbuild's message as a problem: its words, and our advice instead of its own, which is about its options. */
export function codeProblem({ text, location, detail }: Message): CodeProblem {
  return {
    message: text,
    hint: typeof detail === "string" ? detail : hintFor(text),
    // What Agate itself puts before the program has no place in the project.
    location: location === null || location.namespace === "agate" ? null : placeOf(location),
  };
}

function placeOf({ file, line, column, length, lineText }: Location): CodeLocation {
  return {
    file: file.replaceAll("\\", "/"),
    line,
    // esbuild counts the bytes of UTF-8 before it.
    column: charactersIn(lineText, column) + 1,
    length: Math.max(1, length),
    lineText,
  };
}

function hintFor(message: string): string | null {
  const [, missing] = /^Could not resolve "((?:@[^/"]+\/)?[^./"#][^/"]*)/.exec(message) ?? [];
  return missing === undefined ? null : `Run npm install ${missing}.`;
}

function charactersIn(line: string, bytes: number): number {
  return Buffer.from(line).subarray(0, bytes).toString().length;
}
