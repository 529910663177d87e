import type { RegistryProblem } from "@agate/platform/dev";
import { formatDuration, plural } from "@agate/protocol/format";
import type { CodeProblem } from "../packing/code-problem.ts";
import { formatProblems } from "../packing/code-problem.ts";
import { printableLine } from "../terminal/printable.ts";
import type { Paint } from "../terminal/terminal.ts";
import { padText } from "../terminal/text-width.ts";

/** An event of `agate dev`. With `--json`, each is printed as one line. */
export type DevEvent =
  /** The platform is ready. The workflow starts next. */
  | {
      readonly event: "started";
      readonly url: string;
      readonly application: string;
      /** Where OTLP over gRPC is taken; null if it is not. */
      readonly otlp_grpc: string | null;
      /** Why it is not, where that was not asked for. */
      readonly otlp_grpc_problem?: string;
    }
  /** The workflow is ready for the first time. */
  | { readonly event: "ready"; readonly routes: readonly string[]; readonly ms: number }
  /** A new version of the workflow is ready. */
  | { readonly event: "reloaded"; readonly ms: number }
  /** The code cannot be built. `serving`: whether an earlier version still serves. */
  | {
      readonly event: "broken";
      readonly problems: readonly CodeProblem[];
      readonly serving: boolean;
    }
  /** The code was built but did not start. Its output came as `output` events before. */
  | {
      readonly event: "unusable";
      readonly reason: string;
      /** Where it threw, if that is known. */
      readonly problem: CodeProblem | null;
      readonly serving: boolean;
    }
  /** The serving process ended. */
  | { readonly event: "crashed"; readonly reason: string; readonly restartMs: number }
  /** The code names the application differently than it is registered. */
  | { readonly event: "renamed"; readonly from: string; readonly to: string }
  /** A live configuration does not match the code's schema, or the registry rejects the schema. */
  | { readonly event: "misfit"; readonly problems: readonly RegistryProblem[] }
  /** The program has read a file of the project that a deployed build would not have. */
  | { readonly event: "not-packed"; readonly file: string }
  /** The types were checked, after a save. The workflow is served in any case. */
  | {
      readonly event: "type-errors";
      /** The first few. */
      readonly problems: readonly CodeProblem[];
      /** Of all. */
      readonly count: number;
      /** Whether these are the same errors as in the previous event. */
      readonly unchanged: boolean;
    }
  /** All type errors are fixed. */
  | { readonly event: "types-fixed" }
  /** The compiler failed before it had checked anything. */
  | { readonly event: "types-unchecked"; readonly reason: string }
  /** The eval files cannot be built, or throw. The workflow is served in any case. */
  | {
      readonly event: "evals-broken";
      /** Where, if that is known. */
      readonly problems: readonly CodeProblem[];
      readonly reason: string;
    }
  /** The eval files can be used again. */
  | { readonly event: "evals-fixed" }
  | { readonly event: "output"; readonly stream: "stdout" | "stderr"; readonly line: string }
  | ServedCall
  /** `agate dev` is stopping. */
  | { readonly event: "ending" };

/** A call of the workflow that is over. */
export interface ServedCall {
  readonly event: "call";
  readonly method: string;
  readonly path: string;
  /** 499 where the client went away before the answer began. */
  readonly status: number;
  /** The client went away before the end of the answer; else not there. */
  readonly cancelled?: true;
  readonly ms: number;
  readonly trace_id: string | null;
}

/** An event as lines for the terminal. */
export function describeEvent(event: DevEvent, paint: Paint): readonly string[] {
  switch (event.event) {
    case "started":
      return [
        `${paint("bold", event.application)} is at ${paint("cyan", event.url)}`,
        `Try it in a browser: ${paint("cyan", `${event.url}/apps/${event.application}/playground`)}`,
        ...otlpGrpcLines(event, paint),
      ];
    case "ready":
      return [
        "",
        ...routeLines(event.routes),
        "",
        `Ready in ${formatDuration(event.ms)}. Save a file to reload, Ctrl-C to stop.`,
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
            ? "Restarting."
            : `Restarting in ${formatDuration(event.restartMs)}.`,
        ),
      ];
    case "renamed":
      return [
        paint(
          "yellow",
          `The code calls the application ${event.to} now; it is registered as ${event.from}. Restart agate dev to use the new name.`,
        ),
      ];
    case "misfit":
      return event.problems.map(({ msg }) => paint("yellow", printableLine(msg)));
    case "not-packed":
      return [paint("yellow", unpackedLine(event.file))];
    case "type-errors":
      return typeLines(event, paint);
    case "types-fixed":
      return [paint("green", "No type errors left.")];
    case "types-unchecked":
      return [
        paint(
          "yellow",
          `Types could not be checked: ${printableLine(event.reason)}. Run npx tsc --noEmit to see why, or turn the check off with --no-typecheck.`,
        ),
      ];
    case "evals-broken":
      return [
        ...problemLines(event.problems, paint),
        paint("yellow", `${event.reason} The workflow is still served.`),
      ];
    case "evals-fixed":
      return [paint("green", "The eval files can be used again.")];
    case "output":
      return [event.line];
    case "call":
      return [callLine(event, paint)];
    case "ending":
      return ["Stopping. Press Ctrl-C again to stop at once."];
  }
}

function otlpGrpcLines(
  { otlp_grpc, otlp_grpc_problem }: Extract<DevEvent, { event: "started" }>,
  paint: Paint,
): string[] {
  if (otlp_grpc !== null) return [`OTLP over gRPC is taken at ${paint("cyan", otlp_grpc)}`];
  return otlp_grpc_problem === undefined ? [] : [`No OTLP over gRPC: ${otlp_grpc_problem}`];
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
    ...(hidden === 0 ? [] : [`${hidden} more: run npx tsc --noEmit to see all.`]),
    paint("yellow", `${errors}. The workflow is still served.`),
  ];
}

function problemLines(problems: readonly CodeProblem[], paint: Paint): string[] {
  if (problems.length === 0) return [];
  return formatProblems(problems, paint).trimEnd().split("\n");
}

function consequence(serving: boolean): string {
  return serving
    ? "The last good version keeps serving."
    : "Nothing is served yet. Fix the error and save to reload.";
}

/** Each route with its two endpoints, and what the platform has beside them. */
function routeLines(routes: readonly string[]): string[] {
  const paths = routes.map((route) => (route === "/" ? "" : route));
  const lines = paths.flatMap((path) => [
    [`POST /run${path}`, "with the configuration that is live in development"],
    [`POST /playground/run${path}`, "with any configuration"],
  ]);
  lines.push(["GET  /docs", "API reference"]);
  const width = Math.max(...lines.map(([request = ""]) => request.length));
  return lines.map(([request = "", use]) => `  ${padText(request, width)}   ${use}`);
}

/** A call as one line. */
export function callLine(call: ServedCall, paint: Paint): string {
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
