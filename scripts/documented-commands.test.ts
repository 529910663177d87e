import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { createProgram } from "../packages/cli/src/commands/create-program.ts";

type Command = ReturnType<typeof createProgram>;

const root = join(import.meta.dirname, "..");
const PAGES = [
  "README.md",
  ...["docs/guide", "docs/reference"].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  ),
];

/** The `agate …` lines of a page's shell blocks, continued lines joined. */
function commandsOf(page: string): string[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^```(?:sh|text|bash)\b[^\n]*\n([\s\S]*?)^```/gm)].flatMap(
    ([, block = ""]) =>
      block
        .replaceAll(/\\\n\s*/g, " ")
        .split("\n")
        .filter((line) => /^(?:\$ )?agate [a-z]/.test(line)),
  );
}

/** Words as a shell has them, up to a redirection, a pipe or a comment. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [word, double, single] of line.matchAll(/(?:"([^"]*)"|'([^']*)'|[^\s"'])+/g)) {
    if (/^(?:[<>|#&]|\d?>)/.test(word)) break;
    words.push(double === undefined && single === undefined ? word : word.replaceAll(/["']/g, ""));
  }
  return words.slice(words.indexOf("agate") + 1);
}

/** The command line, whose commands do nothing. */
function parser(): { readonly program: Command; readonly errors: () => string } {
  let errors = "";
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      errors += chunk;
      done();
    },
  });
  const program = createProgram({ ...process, env: {}, stderr } as unknown as typeof process);
  const silence = (command: Command): void => {
    if (command.commands.length === 0) command.action(() => {});
    command.commands.forEach(silence);
  };
  silence(program);
  return { program, errors: () => errors };
}

it.each(PAGES.filter((page) => commandsOf(page).length > 0))(
  "%s names commands, options and arguments that exist",
  async (page) => {
    for (const line of commandsOf(page)) {
      const { program, errors } = parser();
      await program
        .parseAsync(wordsOf(line), { from: "user" })
        .catch(() => expect.fail(`${line}\n${errors()}`));
    }
  },
);
