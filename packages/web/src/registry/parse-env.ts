/** `NAME=value`, the value quoted or up to a comment. A quoted value may have several lines. */
const ASSIGNMENT =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|`([^`]*)`|([^#\r\n]*))/gm;

/**
 * The variables in the text of a `.env` file, as Node reads it: comments and other lines are left out,
 * `\n` in double quotes is a line end.
 *
 * @example parseEnv('A=1\nB="two words" # why') // { A: "1", B: "two words" }
 */
export function parseEnv(text: string): Readonly<Record<string, string>> {
  const entries = [...text.replaceAll("\r\n", "\n").matchAll(ASSIGNMENT)].map(
    ([, name = "", double, single, backtick, plain = ""]) => {
      const value = double?.replaceAll("\\n", "\n") ?? single ?? backtick ?? plain.trim();
      return [name, value] as const;
    },
  );
  return Object.fromEntries(entries);
}
