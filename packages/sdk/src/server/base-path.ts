import { DeclarationError } from "../config/declaration-error.ts";
import { canonicalPath, pathProblem } from "../routes/route-path.ts";
import { environment } from "../runtime/environment.ts";

/**
 * The path that an app is served below, without a slash at its end; empty for the root. A program
 * that others run, `agate dev` or the platform, is at the root of where they let it listen.
 *
 * @throws DeclarationError which says what to write instead.
 */
export function basePathOf(given: string | undefined): string {
  if (given === undefined || given === "" || given === "/") return "";
  const problem = pathProblem(given);
  if (problem !== null) {
    throw new DeclarationError(`${JSON.stringify(given)} is not a base path: ${problem}`);
  }
  return environment("AGATE_LISTEN") === undefined ? canonicalPath(given) : "";
}

/** The part of a path below a base path; null where it is not below it. */
export function pathBelow(basePath: string, path: string): string | null {
  if (basePath === "") return path;
  const requested = canonicalPath(path);
  if (requested === basePath) return "/";
  return requested.startsWith(`${basePath}/`) ? requested.slice(basePath.length) : null;
}
