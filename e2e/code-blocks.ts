import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface CodeBlock {
  /** What follows the three backticks, as in `sh` or `ts file=app.ts`. */
  readonly info: string;
  readonly code: string;
}

/** The fenced code blocks of a page, named from the root of the repository. */
export function codeBlocks(page: string): CodeBlock[] {
  const text = readFileSync(join(import.meta.dirname, "..", page), "utf8");
  return [...text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map(([, info = "", code = ""]) => ({
    info,
    code,
  }));
}
