import { formatDuration, plural } from "@agate/protocol/format";
import type { CodeProblem } from "../packing/code-problem.ts";
import { formatProblems } from "../packing/format-problems.ts";
import type { Paint } from "../terminal/paint.ts";
import { printableLine } from "../terminal/printable.ts";
import { padText } from "../terminal/text-width.ts";
import type { DevEvent, ServedCall } from "./dev-event.ts";

/** An event as a developer reads it: lines without their ends. */
export function describeEvent(event: DevEvent, paint: Paint): readonly string[] {
  switch (event.event) {
    case "started":
      return [
        `${paint("bold", event.application)} is at ${paint("cyan", event.url)}`,
        `Try it in a browser: ${paint("cyan", `${event.url}/apps/${event.application}/playground`)}`,
      ];
    case "ready":
      return [
        "",
        ...routeLines(event.routes),
        "",
        `Ready in ${formatDuration(event.ms)}. Save a file to reload it, Ctrl-C to end.`,
        "",
      ];
    case "reloaded":
      return [paint("green", `Reloaded in ${formatDuration(event.ms)}.`)];
    case "broken":
      return [...problemLines(event.problems, paint), paint("yellow", consequence(event.serving))];
    case "unusable":
      return [
        ...(event.problem === null ? [] : problemLines([event.problem], paint)),
        paint("red", event.reason),
        paint("yellow", consequence(event.serving)),
      ];
    case "crashed":
      return [
        paint("red", event.reason),
        paint(
          "yellow",
          event.restartMs === 0
            ? "It is started again."
            : `It is started again in ${formatDuration(event.restartMs)}.`,
        ),
      ];
    case "renamed":
      return [
        paint(
          "yellow",
          `The code calls the application ${event.to} now; it is registered as ${event.from}. Start agate dev again to go on with the new name.`,
        ),
      ];
    case "misfit":
      return event.problems.map(({ msg }) => paint("yellow", printableLine(msg)));
    case "not-packed":
      return [paint("yellow", unpackedLine(event.file))];
    case "type-errors":
      return typeLines(event, paint);
    case "types-fixed":
      return [paint("green", "No type errors any more.")];
    case "types-unchecked":
      return [
        paint(
          "yellow",
          `Types could not be checked: ${printableLine(event.reason)}. Run npx tsc --noEmit to see why, or leave it to --no-typecheck.`,
        ),
      ];
    case "output":
      return [event.line];
    case "call":
      return [callLine(event, paint)];
    case "ending":
      return ["Ending. Ctrl-C again does not wait."];
  }
}

function unpackedLine(file: string): string {
  const name = printableLine(file);
  return `The program reads ${name}, which a deployed build would not have. Add "agate": {"include": [${JSON.stringify(name)}]} to package.json.`;
}

function typeLines(
  { problems, count, unchanged }: Extract<DevEvent, { event: "type-errors" }>,
  paint: Paint,
): string[] {
  const errors = plural(count, "type error");
  if (unchanged) return [paint("yellow", `Still ${errors}.`)];
  const hidden = count - problems.length;
  return [
    ...problemLines(problems, paint),
    ...(hidden === 0 ? [] : [`${hidden} more: npx tsc --noEmit shows all.`]),
    paint("yellow", `${errors}. The workflow is served all the same.`),
  ];
}

function problemLines(problems: readonly CodeProblem[], paint: Paint): string[] {
  return formatProblems(problems, paint).trimEnd().split("\n");
}

function consequence(serving: boolean): string {
  return serving
    ? "The last good version keeps serving."
    : "Nothing is served yet. Save the file when it is mended.";
}

/** Each route with its two endpoints, and what the platform has beside them. */
function routeLines(routes: readonly string[]): string[] {
  const paths = routes.map((route) => (route === "/" ? "" : route));
  const lines = paths.flatMap((path) => [
    [`POST /run${path}`, "with what is deployed to development"],
    [`POST /playground/run${path}`, "with any configuration"],
  ]);
  lines.push(["GET  /docs", "everything else that it answers"]);
  const width = Math.max(...lines.map(([request = ""]) => request.length));
  return lines.map(([request = "", use]) => `  ${padText(request, width)}   ${use}`);
}

function callLine(call: ServedCall, paint: Paint): string {
  const { method, path, ms, trace_id: trace } = call;
  const figures = `${outcomeText(call, paint)}  ${padText(formatDuration(ms), 7, "right")}`;
  const line = `${method} ${printableLine(path)}  ${figures}`;
  return trace === null ? line : `${line}  ${paint("dim", trace)}`;
}

function outcomeText({ status, cancelled }: ServedCall, paint: Paint): string {
  // The client left: neither a success nor a failure.
  if (cancelled) return paint("yellow", "cancelled");
  return paint(status >= 500 ? "red" : status >= 400 ? "yellow" : "green", String(status));
}
