import { readFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";

/** A top-level statement of a declaration file, with the comment above it. */
interface Statement {
  readonly text: string;
  /** The module it imports from or exports from; null for a declaration. */
  readonly from: string | null;
  /** What it declares, imports or exports: the name here → the name there. */
  readonly names: ReadonlyMap<string, string>;
  readonly isImport: boolean;
}

/** A declaration file, and what of it is kept. */
interface Module {
  readonly statements: readonly Statement[];
  readonly kept: Set<string>;
}

/**
 * The declarations that the exports of some files lead to, statement by statement: a public type
 * does not publish what else its file holds and imports.
 *
 * @param folder where the compiler has put the declarations of all packages
 * @param entries files in it
 * @param shared the packages that users have
 * @returns file in the folder → text
 */
export async function publicDeclarations(
  folder: string,
  entries: readonly string[],
  shared: readonly string[],
): Promise<Map<string, string>> {
  const modules = new Map<string, Module>();
  const moduleOf = async (file: string): Promise<Module> => {
    const known = modules.get(file);
    if (known !== undefined) return known;
    const statements = statementsOf(await readFile(join(folder, file), "utf8"), file);
    const module = { statements, kept: new Set<string>() };
    modules.set(file, module);
    return module;
  };

  const queue: { readonly file: string; readonly name: string }[] = [];
  const need = (from: string, module: string, name: string): void => {
    const file = declarationsOf(module, from);
    if (file !== null) queue.push({ file, name });
    else if (!shared.includes(module)) throw new Error(notShared(from, module, name));
  };
  for (const file of entries) {
    for (const { names } of (await moduleOf(file)).statements) {
      for (const name of names.keys()) queue.push({ file, name });
    }
  }
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { file, name } = next;
    const { statements, kept } = await moduleOf(file);
    if (kept.has(name)) continue;
    kept.add(name);
    for (const statement of statements.filter(({ names }) => names.has(name))) {
      if (statement.from !== null) need(file, statement.from, statement.names.get(name)!);
      else for (const used of identifiersIn(statement.text)) queue.push({ file, name: used });
      for (const [, module, used] of statement.text.matchAll(INLINE_IMPORT)) {
        need(file, module!, used!);
      }
    }
  }
  return new Map([...modules].map(([file, module]) => [file, textOf(file, module)]));
}

const INLINE_IMPORT = /\bimport\("([^"]+)"\)\.(\w+)/g;
const NAMED = /^(import|export)(?: type)? \{([^}]*)\}(?: from "([^"]+)")?;$/;
const DECLARATION =
  /^(?:export )?(?:declare )?(?:abstract )?(?:const|function|interface|type|class) ([\w$]+)/;

function statementsOf(text: string, file: string): readonly Statement[] {
  const code = withoutComments(text).split("\n");
  const statements: Statement[] = [];
  let lines: string[] = [];
  let depth = 0;
  for (const [index, line] of text.split("\n").entries()) {
    lines.push(line);
    depth += count(code[index]!, /[{([]/g) - count(code[index]!, /[})\]]/g);
    if (depth > 0 || !/[;}]$/.test(code[index]!)) continue;
    if (line !== "export {};") statements.push(parsed(lines.join("\n"), file));
    lines = [];
  }
  return statements;
}

function count(text: string, bracket: RegExp): number {
  return text.match(bracket)?.length ?? 0;
}

function parsed(text: string, file: string): Statement {
  const bare = withoutComments(text).trim();
  const list = NAMED.exec(bare);
  if (list !== null) {
    const [, keyword, specifiers, from = null] = list;
    return { text, from, names: namesIn(specifiers!), isImport: keyword === "import" };
  }
  const declared = DECLARATION.exec(bare);
  if (declared === null) throw new Error(`${file} holds a statement that is not known: ${bare}`);
  // `const { a, b } = …` is declared as `const a: …, b: …`.
  const others = /\bconst /.test(declared[0]) ? bare.matchAll(/, ([\w$]+): /g) : [];
  const names = [declared[1]!, ...[...others].map(([, name]) => name!)];
  return { text, from: null, names: new Map(names.map((name) => [name, name])), isImport: false };
}

/** `A, type B as C` → A: A, C: B. */
function namesIn(specifiers: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const specifier of specifiers.split(",")) {
    const [there, here = there] = specifier
      .trim()
      .replace(/^type /, "")
      .split(" as ");
    if (there) names.set(here!, there);
  }
  return names;
}

/** More than the names it uses: the keys of an object too, which does no harm. */
function identifiersIn(text: string): ReadonlySet<string> {
  return new Set(withoutComments(text).match(/[\w$]+/g));
}

/** Leaves the lines that they took, empty. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*.*?\*\/|^\/\/[^\n]*/gms, (comment) =>
    comment.replaceAll(/[^\n]/g, ""),
  );
}

/** Where the declarations of a module lie; null for another package's. */
function declarationsOf(module: string, from: string): string | null {
  if (module.startsWith(".")) return posix.join(dirname(from), module.replace(/\.ts$/, ".d.ts"));
  const inside = /^@agate\/([^/]+)$/.exec(module);
  return inside === null ? null : `${inside[1]}/src/index.d.ts`;
}

function textOf(file: string, { statements, kept }: Module): string {
  const texts = statements.flatMap((statement) => {
    const names = [...statement.names].filter(([name]) => kept.has(name));
    if (names.length === 0) return [];
    if (statement.from === null) return [pointed(file, statement.text)];
    const list = names.map(([here, there]) => (here === there ? here : `${there} as ${here}`));
    const keyword = statement.isImport
      ? "import type"
      : statement.text.match(/export(?: type)?(?= \{)/)![0];
    return [`${keyword} { ${list.join(", ")} } from "${path(file, statement.from)}";`];
  });
  // Without any, a file that exports nothing would be a script, and its names global.
  return `${LIBRARY.test(texts.join("\n")) ? REFERENCE : ""}${texts.join("\n")}\nexport {};\n`;
}

/** `using` has types in a library of its own, which a user's `lib` may leave out. */
const LIBRARY = /\b(?:Async)?Disposable\b|\bSymbol\.(?:asyncDispose|dispose)\b/;
const REFERENCE = '/// <reference lib="esnext.disposable" />\n';

function pointed(file: string, text: string): string {
  return text.replaceAll(
    INLINE_IMPORT,
    (_, module: string, name: string) => `import("${path(file, module)}").${name}`,
  );
}

/** How one published file names another. */
function path(file: string, module: string): string {
  const target = declarationsOf(module, file);
  if (target === null) return module;
  const relative = posix.relative(dirname(file), target).replace(/\.d\.ts$/, ".js");
  return relative.startsWith(".") ? relative : `./${relative}`;
}

function notShared(file: string, module: string, name: string): string {
  return `${file}: the SDK's public types need ${name} of ${module}, which its users do not have. Declare the part of it that is needed.`;
}
