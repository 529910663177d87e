import type { Location, Message } from "esbuild";
import { printableLine, printableText } from "../terminal/printable.ts";
import type { Paint } from "../terminal/terminal.ts";

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

/** A line that is longer is cut around the place that is meant. */
const MAX_LINE = 160;

/**
 * Problems as a person reads them in a terminal, each with its line and a mark below the place.
 *
 * @example
 * app.ts:3:14: Expected ";" but found "tru"
 *   3 | const isGood tru;
 *     |              ^^^
 */
export function formatProblems(problems: readonly CodeProblem[], paint: Paint): string {
  return problems.map((problem) => formatProblem(problem, paint)).join("\n");
}

/** A problem in one line. @example problemLine(problem) // 'app.ts:3:14: Expected ";" but found "tru"' */
export function problemLine({ message, location }: CodeProblem): string {
  const said = printableLine(message);
  return location === null ? said : `${locationText(location)}: ${said}`;
}

function locationText({ file, line, column }: CodeLocation): string {
  return `${printableLine(file)}:${line}:${column}`;
}

function formatProblem({ message, hint, location }: CodeProblem, paint: Paint): string {
  const said = paint("red", printableLine(message));
  const advice = hint === null ? [] : [`  ${printableLine(hint)}`];
  if (location === null) return [said, ...advice, ""].join("\n");
  const place = locationText(location);
  return [`${paint("bold", place)}: ${said}`, ...excerpt(location, paint), ...advice, ""].join(
    "\n",
  );
}

function excerpt({ line, column, length, lineText }: CodeLocation, paint: Paint): string[] {
  const start = column - 1;
  const from = Math.max(0, start - MAX_LINE / 2);
  const shown = lineText.slice(0, from + MAX_LINE);
  const before = printableText(shown.slice(from, start));
  const meant = printableText(shown.slice(start, start + length));
  const after = printableText(shown.slice(start + length));
  const gutter = `  ${line} | `;
  const space = before.replaceAll(/[^\t]/g, " ");
  return [
    `${paint("dim", gutter)}${before}${paint("red", meant)}${after}`,
    `${paint("dim", gutter.replaceAll(/\d/g, " "))}${space}${paint("red", "^".repeat(meant.length || 1))}`,
  ];
}
