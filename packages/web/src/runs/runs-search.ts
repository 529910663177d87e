import type { RunFilter } from "../api/runs.ts";

const NAMES = ["application", "evaluation"] as const satisfies readonly (keyof RunFilter)[];

/** The address of the list of runs: its filters. */
export function parseRunsSearch(search: Record<string, unknown>): RunFilter {
  const given = NAMES.flatMap((name) => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  return Object.fromEntries(given);
}

/** The address of a run. */
export interface RunSearch {
  /** Only the cases that got worse are listed. */
  readonly worse?: "true";
}

export function parseRunSearch({ worse }: Record<string, unknown>): RunSearch {
  return worse === "true" || worse === true ? { worse: "true" } : {};
}
