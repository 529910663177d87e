import { open, readFile, rename } from "node:fs/promises";
import type { MigrationState } from "./migration-state.ts";
import { readState, writeState } from "./migration-state.ts";

export type LoadedState =
  | { readonly kind: "none" }
  | { readonly kind: "state"; readonly state: MigrationState }
  /** One sentence that says what to do. */
  | { readonly kind: "unusable"; readonly reason: string };

/** Looks for the state of a migration between these two stores. */
export async function loadState(
  file: string,
  stores: Pick<MigrationState, "from" | "to">,
): Promise<LoadedState> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { kind: "none" };
    return unusable(`${file} cannot be read (${code}). Name another file with --state.`);
  }
  const state = readState(text);
  if (state === undefined) {
    return unusable(
      `${file} is not the state of a migration. It was left as it is: name another file with --state.`,
    );
  }
  if (state.from !== stores.from || state.to !== stores.to) {
    return unusable(
      `${file} belongs to a migration from ${state.from} to ${state.to}. Name another file with --state, or delete it if that one is over.`,
    );
  }
  return { kind: "state", state };
}

/** Replaces the file whole: a process that is killed meanwhile leaves the one before. */
export async function saveState(file: string, state: MigrationState): Promise<void> {
  const draft = `${file}.new`;
  {
    await using handle = await open(draft, "w", 0o600);
    await handle.writeFile(writeState(state));
    await handle.sync();
  }
  await rename(draft, file);
}

function unusable(reason: string): LoadedState {
  return { kind: "unusable", reason };
}
