import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runInProcess } from "../run-in-process.ts";

/** A new project, as `agate init` makes it, that finds its packages in this repository. */
export interface DevProject extends AsyncDisposable {
  readonly folder: string;
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<void>;
  /** Replaces a part of a file, which must be there. */
  edit(file: string, part: string, by: string): Promise<void>;
}

export async function makeProject(): Promise<DevProject> {
  // Inside of this package, so that it finds the SDK without an installation.
  const folder = await mkdtemp(join(import.meta.dirname, "../.guide-dev-"));
  const made = await runInProcess(["init", folder, "--no-install", "--name", "support"]);
  if (made.code !== 0) throw new Error(made.stderr);
  const read = (file: string) => readFile(join(folder, file), "utf8");
  const write = (file: string, text: string) => writeFile(join(folder, file), text);
  return {
    folder,
    read,
    write,
    async edit(file, part, by) {
      const text = await read(file);
      if (!text.includes(part)) throw new Error(`${file} does not have ${part}`);
      await write(file, text.replace(part, by));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
