import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BUILD_MANIFEST_FILE } from "@agate/protocol";

export type WriteOutcome =
  | { readonly kind: "written" }
  | { readonly kind: "refused"; readonly reason: string };

/** Replaces the content of the folder, unless `agate build` did not write it. */
export async function writeTarget(
  folder: string,
  files: ReadonlyMap<string, string | Uint8Array>,
): Promise<WriteOutcome> {
  const present = await entriesOf(folder);
  if (present === undefined) return refused(`${folder} is a file. Name a folder with --out.`);
  const isOurs = existsSync(join(folder, "app", BUILD_MANIFEST_FILE));
  if (present.length > 0 && !isOurs) {
    return refused(
      `${folder} is not empty, and agate build has not made it. Nothing was changed. Name another folder with --out.`,
    );
  }
  // Written beside it and renamed, so that a full disk leaves the previous build intact.
  const made = `${folder}.new`;
  await rm(made, { recursive: true, force: true });
  try {
    for (const [name, content] of files) {
      const file = join(made, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    await rm(folder, { recursive: true, force: true });
    await rename(made, folder);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return { kind: "written" };
}

/** None where it is not there; undefined where it is no folder. */
async function entriesOf(folder: string): Promise<readonly string[] | undefined> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    if (code === "ENOTDIR") return undefined;
    throw error;
  }
}

function refused(reason: string): WriteOutcome {
  return { kind: "refused", reason };
}
