// Checks every import of the product against import-rules.ts; part of `npm run lint`.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import { IMPORT_RULES, type PackageRules } from "./import-rules.ts";

/** Path from the repository's root → source text. */
export type Sources = ReadonlyMap<string, string>;

interface Import {
  readonly specifier: string;
  readonly isType: boolean;
}

const PRODUCT = /^packages\/([^/]+)\/src\/(.+)$/;
const TEST = /\.(?:test|test-d|contract|fixture)\.tsx?$|\/testing\//;
/** Files of a new project, which `agate init` writes: they import the SDK as its users do. */
const TEMPLATE = /\/project-template\/files\//;

/** Styles, pictures and data: files without imports of their own. */
const ASSET = /^\..*\.(?:css|svg|json)$/;

/** What is wrong with the imports of these sources, one line each. */
export function findImportFaults(sources: Sources, rules = IMPORT_RULES): string[] {
  const faults: string[] = [];
  const used = new Set<string>();
  for (const [file, text] of sources) {
    const found = PRODUCT.exec(file);
    if (found === null || TEST.test(file) || TEMPLATE.test(file)) continue;
    const [, name = "", path = ""] = found;
    const known = rules[name];
    const part = known && partOf(path, known);
    if (known === undefined || part === undefined) {
      faults.push(`${file}: add this file's folder to scripts/imports/import-rules.ts`);
      continue;
    }
    for (const each of importsOf(text).filter(({ specifier }) => !ASSET.test(specifier))) {
      const target = targetOf(each.specifier, { file, name, rules: known });
      if (target === part) continue;
      const fault = faultOf(each, { target, part, rules: known });
      if (fault === undefined) used.add(edgeOf(name, part, target));
      else faults.push(`${file} imports ${each.specifier}: ${fault}`);
    }
  }
  return [...faults, ...unusedEdges(rules, used)];
}

function* unusedEdges(rules: typeof IMPORT_RULES, used: ReadonlySet<string>) {
  for (const [name, { parts, npm }] of Object.entries(rules)) {
    for (const [part, { imports = [], types = [] }] of Object.entries(parts)) {
      for (const to of [...imports, ...types]) {
        if (!used.has(edgeOf(name, part, to))) {
          yield `import-rules.ts: packages/${name} has no import from ${part} to ${to}; remove the edge`;
        }
      }
    }
    for (const to of npm) {
      const isUsed = Object.keys(parts).some((part) => used.has(edgeOf(name, part, to)));
      if (!isUsed) yield `import-rules.ts: packages/${name} does not import ${to}; remove it`;
    }
  }
}

const edgeOf = (name: string, part: string, to: string) => `${name}: ${part} → ${to}`;

function faultOf(
  { isType }: Import,
  { target, part, rules }: { target: string; part: string; rules: PackageRules },
): string | undefined {
  const { imports = [], types = [], node } = rules.parts[part] ?? {};
  if (imports.includes(target)) return undefined;
  if (target.startsWith("node:")) {
    return rules.node || node ? undefined : `${part} runs where Node's modules are missing`;
  }
  if (rules.npm.includes(target)) return undefined;
  if (types.includes(target)) return isType ? undefined : `${part} may import its types only`;
  return `${part} may not import ${target} (scripts/imports/import-rules.ts)`;
}

/** The part that an import leads to; of another package its name. */
function targetOf(
  specifier: string,
  { file, name, rules }: { file: string; name: string; rules: PackageRules },
): string {
  if (!specifier.startsWith(".")) return packageOf(specifier);
  const path = normalize(join(dirname(file), specifier));
  const inside = PRODUCT.exec(path);
  if (inside?.[1] !== name || TEST.test(path)) return path;
  return partOf(inside[2] ?? "", rules) ?? path;
}

/** `@agate/protocol/schemas` is an entry of its own; of other packages the name alone counts. */
function packageOf(specifier: string): string {
  if (specifier.startsWith("node:")) return specifier;
  if (specifier.startsWith("@agate/")) return specifier;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** The innermost part that holds a path below `src/`; "." holds the files beside the folders. */
function partOf(path: string, { parts }: PackageRules): string | undefined {
  if (path in parts) return path;
  const folders = path.split("/").slice(0, -1);
  for (let depth = folders.length; depth > 0; depth--) {
    const part = folders.slice(0, depth).join("/");
    if (part in parts) return part;
  }
  return folders.length === 0 && "." in parts ? "." : undefined;
}

const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const STATEMENT = /^(?:import|export)\s(type\s)?[^;"'`]*?from\s+"([^"]+)"|^import\s+"([^"]+)"/gm;
const CALL = /(\btypeof\s+)?\bimport\("([^"]+)"\)/g;

/** The imports of a source as Biome formats it, types included. */
export function importsOf(source: string): Import[] {
  const code = source.replace(COMMENT, "");
  const statements = [...code.matchAll(STATEMENT)].map(([, type, from, effect]) => ({
    specifier: from ?? effect ?? "",
    isType: type !== undefined,
  }));
  const calls = [...code.matchAll(CALL)].map(([, type, specifier = ""]) => ({
    specifier,
    isType: type !== undefined,
  }));
  return [...statements, ...calls];
}

/** The product's sources in a clone. */
export function readSources(root: string): Sources {
  const files = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root });
  return new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
}

if (import.meta.main) {
  const faults = findImportFaults(readSources(join(import.meta.dirname, "../..")));
  for (const fault of faults) console.error(fault);
  console.log(
    `Imports: ${faults.length === 0 ? "as import-rules.ts allows" : `${faults.length} faults`}.`,
  );
  if (faults.length > 0) process.exitCode = 1;
}
