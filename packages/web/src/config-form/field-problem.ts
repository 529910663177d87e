import type { RouteSchema } from "@agate/protocol";
import { configFaults, pathText } from "@agate/protocol";
import type { ApiError } from "../api/api-error.ts";
import type { ConfigValues } from "./config-values.ts";

/** Something wrong with what is in a form. */
export interface FieldProblem {
  /** From the form to the part that is wrong: `["marks"]`; empty for the whole. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export interface PlacedProblems {
  /** Those of one form. */
  readonly mine: readonly FieldProblem[];
  /** Those of no form, as sentences. */
  readonly others: readonly string[];
}

type Part = "config" | "inputs";

/**
 * Where the faults that a server named belong: playground calls have `["body", "config", "marks"]` and
 * `["body", "inputs", "text"]`, commits `["body", "params", "/summarize", "sentences"]`.
 *
 * @param route Whose configuration is in the form; without it, commits of any route are.
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
    // An answer that names nothing still says something.
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

/** What to say at one field; a fault deeper inside it says where. */
export function problemsAt(problems: readonly FieldProblem[], field: string): string | undefined {
  const messages = problems
    .filter(({ path }) => path.length > 0 && String(path[0]) === field)
    .map(({ path, message }) => sentence(path.slice(1), message));
  // The page and the server may have found the same.
  return messages.length === 0 ? undefined : [...new Set(messages)].join(" ");
}

/** Those inside of one field, from there: what is wrong with all of it has an empty path. */
export function problemsBelow(
  problems: readonly FieldProblem[],
  field: string | number,
): readonly FieldProblem[] {
  return problems
    .filter(({ path }) => path.length > 0 && String(path[0]) === String(field))
    .map(({ path, message }) => ({ path: path.slice(1), message }));
}

/** Those of no field that the form has. */
export function problemsElsewhere(
  problems: readonly FieldProblem[],
  fields: ReadonlySet<string>,
): readonly string[] {
  return problems
    .filter(({ path }) => path[0] === undefined || !fields.has(String(path[0])))
    .map(({ path, message }) => sentence(path, message));
}

/** What the server would refuse, in its own words. What is not there has its default. */
export function checkConfig(route: RouteSchema, values: ConfigValues): readonly FieldProblem[] {
  return [...configFaults(route.config, values)].map(({ path, message }) => ({ path, message }));
}

/** Brings whoever has just tried to send a form to what is wrong in it. */
export function focusFirstProblem(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-problem]')?.focus();
}
