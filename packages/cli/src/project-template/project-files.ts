import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { type PackageSpecs, projectManifest } from "./project-manifest.ts";

const SUFFIX = ".template";

/** The files of a new project: path → text, sorted by path. */
export async function projectFiles(
  name: string,
  specs: PackageSpecs,
): Promise<ReadonlyMap<string, string>> {
  const folder = templateFolder();
  const templates = await readdir(folder);
  const files = await Promise.all(
    templates.map(async (template): Promise<[string, string]> => {
      const text = await readFile(new URL(template, folder), "utf8");
      return [template.slice(0, -SUFFIX.length), text.replaceAll("{{name}}", name)];
    }),
  );
  files.push(["package.json", `${JSON.stringify(projectManifest(name, specs), null, 2)}\n`]);
  return new Map(files.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Beside the built bundle, or, run from source, beside this file. */
function templateFolder(): URL {
  const built = new URL("./project-template/", import.meta.url);
  return existsSync(built) ? built : new URL("./files/", import.meta.url);
}
