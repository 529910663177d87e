import { readdir, readFile } from "node:fs/promises";
import { join, resolve, sep } from "node:path";

/**
 * The licences of the packages whose files went into the bundle, as one text.
 *
 * @param inputs the bundled files, absolute or relative to `folder`
 */
export async function thirdPartyLicences(
  folder: string,
  inputs: readonly string[],
): Promise<string> {
  const packages = new Map<string, string>();
  for (const input of inputs) {
    const path = packageFolder(resolve(folder, input));
    if (path === null) continue;
    const { name, version, license } = JSON.parse(
      await readFile(join(path, "package.json"), "utf8"),
    );
    const texts = await licenceTexts(path);
    packages.set(`${name} ${version} (${license})`, texts.join("\n\n"));
  }
  const sections = [...packages].sort(([a], [b]) => (a < b ? -1 : 1));
  const firstWith = new Map<string, string>();
  return sections
    .map(([title, text]) => {
      const first = firstWith.get(text);
      if (first === undefined) firstWith.set(text, title);
      const body = first === undefined ? text : `The same text as for ${first}, above.`;
      return `${title}\n${"=".repeat(title.length)}\n\n${body}\n`;
    })
    .join("\n\n");
}

/** The folder of the npm package that a file belongs to; null for a file of this repository. */
export function packageFolder(file: string): string | null {
  const parts = file.split(sep);
  const modules = parts.lastIndexOf("node_modules");
  if (modules === -1) return null;
  const scoped = parts[modules + 1]?.startsWith("@");
  return parts.slice(0, modules + (scoped ? 3 : 2)).join(sep);
}

async function licenceTexts(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /^(licen[cs]e|notice)/i.test(name)).sort();
  if (names.length === 0) {
    return ["The package carries no licence text of its own; see its `license` field above."];
  }
  return Promise.all(
    names.map(async (name) => (await readFile(join(folder, name), "utf8")).trim()),
  );
}
