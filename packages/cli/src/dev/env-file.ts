import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** The name of the file with a project's own variables. */
export const ENV_FILE = ".env";

/** The variables of a project's `.env`; none where there is no such file. */
export function readEnvFile(folder: string): Readonly<Record<string, string>> {
  try {
    // Node types a value as possibly missing; the file cannot say that.
    return parseEnv(readFileSync(join(folder, ENV_FILE), "utf8")) as Record<string, string>;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EISDIR") return {};
    throw error;
  }
}

/** Without those that are set already: who sets a variable for one command means it. */
export function unsetIn(
  environment: NodeJS.ProcessEnv,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = Object.entries(variables).filter(([name]) => environment[name] === undefined);
  return Object.fromEntries(entries);
}
