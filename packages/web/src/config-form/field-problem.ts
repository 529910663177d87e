import type { RouteSchema } from "@agate/protocol";
import { configFaults, pathText } from "@agate/protocol";
import type { ApiError } from "../api/api-error.ts";
import type { ConfigValues } from "./config-values.ts";

/** An invalid value in a form. */
export interface FieldProblem {
  /** The path of the value in the form: `["marks"]`; empty for the whole form. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export interface PlacedProblems {
  /** Those of the form. */
  readonly mine: readonly FieldProblem[];
  /** Those that belong to no form. */
  readonly others: readonly string[];
}

type Part = "config" | "inputs";

/**
 * Assigns the errors of a response to a form: playground calls have `["body", "config", "marks"]` and
 * `["body", "inputs", "text"]`, commits `["body", "params", "/summarize", "sentences"]`.
 *
 * @param route The route of the form; without it, errors in commits of any route are included.
 */
export function problemsFrom(error: ApiError, part: Part, route?: string): PlacedProblems {
  const placed = error.detail.map(({ loc, msg }) => ({ ...placeOf(loc, route), message: msg }));
  const others = placed
    .filter((problem) => problem.part === null)
    .map(({ path, message }) => sentence(path, message));
  return {
    mine: placed
      .filter((problem) => problem.part === part)
      .map(({ path, message }) => ({ path, message })),
    // A response without details still has a message.
    others: placed.length === 0 ? [error.message] : others,
  };
}

type Loc = FieldProblem["path"];

function placeOf(loc: Loc, route: string | undefined): { part: Part | null; path: Loc } {
  const [where, part, ...path] = loc;
  if (where !== "body") return { part: null, path: loc };
  if (part === "config" || part === "inputs") return { part, path };
  const [named, ...field] = path;
  if (part === "params" && named !== undefined && (route === undefined || named === route)) {
    return { part: "config", path: field };
  }
  return { part: null, path: loc.slice(1) };
}

function sentence(path: Loc, message: string): string {
  return path.length === 0 ? message : `${pathText(path)}: ${message}`;
}

/** The message for one field; problems inside it include their path. */
export function problemsAt(problems: readonly FieldProblem[], field: string): string | undefined {
  const messages = problems
    .filter(({ path }) => path.length > 0 && String(path[0]) === field)
    .map(({ path, message }) => sentence(path.slice(1), message));
  // The page and the server may report the same problem.
  return messages.length === 0 ? undefined : [...new Set(messages)].join(" ");
}

/** The problems of one field, with paths relative to it. */
export function problemsBelow(
  problems: readonly FieldProblem[],
  field: string | number,
): readonly FieldProblem[] {
  return problems
    .filter(({ path }) => path.length > 0 && String(path[0]) === String(field))
    .map(({ path, message }) => ({ path: path.slice(1), message }));
}

/** The problems that belong to none of these fields. */
export function problemsElsewhere(
  problems: readonly FieldProblem[],
  fields: ReadonlySet<string>,
): readonly string[] {
  return problems
    .filter(({ path }) => path[0] === undefined || !fields.has(String(path[0])))
    .map(({ path, message }) => sentence(path, message));
}

/** The fields that the server would reject. */
export function checkConfig(route: RouteSchema, values: ConfigValues): readonly FieldProblem[] {
  return [...configFaults(route.config, values)].map(({ path, message }) => ({ path, message }));
}

/** Focuses the first invalid field of a form that could not be sent. */
export function focusFirstProblem(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-problem]')?.focus();
}
