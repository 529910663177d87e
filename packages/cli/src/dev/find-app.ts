import { existsSync } from "node:fs";
import { join } from "node:path";
import { readPackageJson } from "../packing/package-folder.ts";

export type FoundApp =
  | { readonly kind: "found"; readonly file: string }
  /** One sentence, with what to do. */
  | { readonly kind: "not-found"; readonly reason: string };

const USUAL = ["app.ts", "src/app.ts"] as const;

/**
 * The program that is meant where none is named: `agate.app` of the package.json, else `app.ts`, else
 * `src/app.ts`, else the package.json's `main`.
 */
export function findApp(folder: string): FoundApp {
  const { agate, main } = (readPackageJson(folder) ?? {}) as {
    readonly agate?: { readonly app?: unknown };
    readonly main?: unknown;
  };
  const named = agate?.app;
  if (typeof named === "string") {
    return existsSync(join(folder, named))
      ? { kind: "found", file: named }
      : {
          kind: "not-found",
          reason: `package.json names ${named} as agate.app, which is not there.`,
        };
  }
  const candidates = [...USUAL, ...(typeof main === "string" ? [main] : [])];
  const file = candidates.find((candidate) => existsSync(join(folder, candidate)));
  if (file !== undefined) return { kind: "found", file };
  const looked = `${candidates.slice(0, -1).join(", ")} or ${candidates.at(-1)}`;
  return {
    kind: "not-found",
    reason: `There is no ${looked} in ${folder}. Name the file that declares your routes, or make a project with agate init.`,
  };
}
