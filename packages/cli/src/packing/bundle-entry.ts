import { basename, dirname } from "node:path";
import type { Plugin } from "esbuild";
import type { Project } from "./project.ts";

const ENTRY = "agate-entry";
const PARENT = "agate-parent";

/** What esbuild is told to begin with: a name that `bundleEntry` knows. */
export const ENTRY_POINT = ENTRY;

/**
 * The program that is really started. Its first import runs before the user's code, which may take
 * long or forever; `run` serves what that code has declared, unless it serves by itself.
 */
export function bundleEntry({ entry, entryName }: Project): Plugin {
  const sources = new Map([
    [
      ENTRY,
      `import ${JSON.stringify(PARENT)};
import * as app from ${JSON.stringify(`./${basename(entry)}`)};
import { run } from "@agate/sdk/runner";
await run(app, { file: ${JSON.stringify(entryName)} });
`,
    ],
    [PARENT, 'import { endWithParent } from "@agate/sdk/runner";\nendWithParent();\n'],
  ]);
  return {
    name: "agate-entry",
    setup(build) {
      build.onResolve({ filter: /^agate-(?:entry|parent)$/ }, ({ path, kind, namespace }) =>
        // Of ours only: a package may have the name.
        kind === "entry-point" || namespace === "agate" ? { path, namespace: "agate" } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: "agate" }, ({ path }) => ({
        contents: sources.get(path) ?? "",
        resolveDir: dirname(entry),
      }));
    },
  };
}
