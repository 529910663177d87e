import type { Paint } from "../terminal/paint.ts";
import { printableLine, printableText } from "../terminal/printable.ts";
import type { CodeLocation, CodeProblem } from "./code-problem.ts";

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
  return location === null ? said : `${placeOf(location)}: ${said}`;
}

function placeOf({ file, line, column }: CodeLocation): string {
  return `${printableLine(file)}:${line}:${column}`;
}

function formatProblem({ message, hint, location }: CodeProblem, paint: Paint): string {
  const said = paint("red", printableLine(message));
  const advice = hint === null ? [] : [`  ${printableLine(hint)}`];
  if (location === null) return [said, ...advice, ""].join("\n");
  const place = `${printableLine(location.file)}:${location.line}:${location.column}`;
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
