// Bundles the page. packages/cli/build.ts puts it into the tool.
import { join } from "node:path";
import { build as bundle, type Rolldown } from "vite";

/** The page as it is served. */
export interface BuiltPage {
  /** Path below the page's root (`index.html`, `assets/…`) → content. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Every source that is in it, for the licences. */
  readonly inputs: readonly string[];
}

/** Builds the page, in memory. */
export async function build(): Promise<BuiltPage> {
  const { output } = (await bundle({
    configFile: join(import.meta.dirname, "vite.config.ts"),
    logLevel: "warn",
    build: { write: false },
  })) as Rolldown.RolldownOutput;
  const files = new Map(
    output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source] as const),
  );
  const inputs = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  return { files, inputs };
}
