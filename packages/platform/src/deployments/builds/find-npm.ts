import { access, constants, realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";

/** A program to run, without a shell, and its first arguments. */
export interface NpmProgram {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Finds npm on the `PATH`, or beside Node. It is run by the Node that runs this process, and so
 * will the build: packages with native code are made for the one that installs them.
 */
export async function findNpm(environment: NodeJS.ProcessEnv): Promise<NpmProgram | undefined> {
  const folders = (environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of [...folders, dirname(process.execPath)]) {
    for (const candidate of [
      join(folder, "npm"),
      // Where Windows has it, and where Node's own archives do.
      join(folder, "node_modules/npm/bin/npm-cli.js"),
      join(folder, "../lib/node_modules/npm/bin/npm-cli.js"),
    ]) {
      const found = await programAt(candidate);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

async function programAt(candidate: string): Promise<NpmProgram | undefined> {
  const path = await realpath(candidate).catch(() => undefined);
  if (path === undefined) return undefined;
  if (path.endsWith(".js")) return { command: process.execPath, args: [path] };
  const runs = await access(path, constants.X_OK).then(
    () => process.platform !== "win32",
    () => false,
  );
  return runs ? { command: path, args: [] } : undefined;
}
