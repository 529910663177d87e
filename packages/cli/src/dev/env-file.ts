import { type FSWatcher, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** The name of the file with a project's own variables. */
export const ENV_FILE = ".env";

/** The variables of a project's `.env`; none where file not found. */
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

/** A save is several events. */
const DEBOUNCE_MS = 30;

/** Tells when the project's `.env` was made, changed or deleted. */
export function watchEnvFile(folder: string, onChange: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  // The folder and not the file: an editor that saves by renaming replaces the file.
  const watcher: FSWatcher = watch(folder, (_, name) => {
    if (name !== ENV_FILE) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, DEBOUNCE_MS);
  });
  // Without it the file is read at the next reload, as every time.
  watcher.on("error", () => watcher.close());
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      watcher.close();
    },
  };
}
