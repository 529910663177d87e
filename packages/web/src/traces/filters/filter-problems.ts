import { ApiError } from "../../api/api-error.ts";

/** What the platform has against parameters of a list, by their names. */
export function filterProblems(error: Error | null): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError) || error.status !== 422) return new Map();
  return new Map(
    error.detail.flatMap(({ loc: [place, name], msg }) =>
      place === "query" && typeof name === "string" ? [[name, msg] as const] : [],
    ),
  );
}
