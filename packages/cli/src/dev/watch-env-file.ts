import { type FSWatcher, watch } from "node:fs";
import { ENV_FILE } from "./env-file.ts";

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
