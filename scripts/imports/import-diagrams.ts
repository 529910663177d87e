// Writes the diagrams of ARCHITECTURE.md from import-rules.ts.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { IMPORT_RULES, type PackageRules } from "./import-rules.ts";

export const PAGE = join(import.meta.dirname, "../../ARCHITECTURE.md");

const BLOCK = /(<!-- imports: ([a-z]+) -->\n)[\s\S]*?(<!-- end of imports -->)/g;

/** A leaf that this many parts import is listed below the diagram; its arrows would hide the others. */
const WIDELY_USED = 4;

/** The page with every diagram drawn again. */
export function renderDiagrams(page: string, rules = IMPORT_RULES): string {
  return page.replace(BLOCK, (_block, begin: string, name: string, end: string) => {
    const drawn = name === "packages" ? packagesDiagram(rules) : partsDiagram(rules[name]);
    return `${begin}${drawn}${end}`;
  });
}

function packagesDiagram(rules: typeof IMPORT_RULES): string {
  const arrows = Object.entries(rules).flatMap(([name, { parts }]) => {
    const targets = Object.values(parts).flatMap(({ imports = [] }) => imports);
    const packages = targets.map((target) => /^@agate\/([^/]+)/.exec(target)?.[1]);
    return [...new Set(packages)].flatMap((to) =>
      to === undefined ? [] : [`  ${name} --> ${to}`],
    );
  });
  return fence(["flowchart LR", ...arrows]);
}

function partsDiagram(rules: PackageRules | undefined): string {
  if (rules === undefined) throw new Error("ARCHITECTURE.md names a package that has no rules.");
  const parts = Object.entries(rules.parts);
  const leaves = new Set(parts.flatMap(([part]) => (isWidelyUsedLeaf(part, rules) ? [part] : [])));
  const drawn = parts.filter(([part]) => !leaves.has(part));
  const nodes = drawn.map(([part, { about }]) => `  ${idOf(part)}["${labelOf(part)}<br>${about}"]`);
  const arrows = drawn.flatMap(([part, { imports = [], types = [] }]) => [
    ...imports
      .filter((to) => to in rules.parts && !leaves.has(to))
      .map((to) => `  ${idOf(part)} --> ${idOf(to)}`),
    ...types
      .filter((to) => to in rules.parts)
      .map((to) => `  ${idOf(part)} -. types .-> ${idOf(to)}`),
  ]);
  const list = [...leaves].map((part) => `\`${labelOf(part)}\` (${rules.parts[part]?.about})`);
  const note =
    list.length === 0 ? "" : `\nImported by most parts, and not drawn: ${list.join(", ")}.\n`;
  return `${fence(["flowchart TD", ...nodes, ...arrows])}${note}\n`;
}

function isWidelyUsedLeaf(part: string, { parts }: PackageRules): boolean {
  const own = (parts[part]?.imports ?? []).filter((to) => to in parts);
  const importers = Object.values(parts).filter(({ imports = [] }) => imports.includes(part));
  return own.length === 0 && importers.length >= WIDELY_USED;
}

const labelOf = (part: string) => (part === "." || part.includes(".") ? part : `${part}/`);
/** Mermaid takes `end` and dots in ids for syntax. */
const idOf = (part: string) => `p_${part.replace(/[^a-z]/g, "_")}`;
const fence = (lines: readonly string[]) => `\`\`\`mermaid\n${lines.join("\n")}\n\`\`\`\n`;

if (import.meta.main) writeFileSync(PAGE, renderDiagrams(readFileSync(PAGE, "utf8")));
