import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BuildManifest } from "@agate/protocol";
import { BUILD_MANIFEST_FILE } from "@agate/protocol";
import { archiveFiles } from "../deployments/builds/archive-files.ts";
import { syncFolder } from "../deployments/builds/folder-contents.ts";
import { unpackArchive } from "../deployments/builds/unpack-archive.ts";
import type { BuildArchives } from "../stores/registry/shared-builds.ts";

/** The archives of a registry's builds, as far as copying goes. */
export type CopiedArchives = Pick<BuildArchives, "read" | "keep">;

/** They were measured when they came. */
const LIMITS = { mostUnpackedBytes: Number.POSITIVE_INFINITY };

/**
 * The builds of a data directory as archives: packed from their files, and unpacked into files. What
 * was unpacked for a registry that was not filled after all is removed by the next server, as after a
 * crash.
 */
export function folderArchives(dataDirectory: string): CopiedArchives {
  const builds = join(dataDirectory, "builds");
  return {
    async read(buildId) {
      try {
        return await packed(join(builds, buildId));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },

    async keep(buildId, archive) {
      const place = join(builds, buildId);
      // A folder under its final name is always whole.
      const unfinished = join(builds, `.copying-${buildId}`);
      for (const folder of [unfinished, place]) await rm(folder, { recursive: true, force: true });
      await mkdir(unfinished, { recursive: true });
      const unpacked = await unpackArchive(archive, unfinished, LIMITS);
      if (unpacked.kind === "invalid") {
        throw new Error(`The archive of the build ${buildId} is unusable: ${unpacked.reason}`);
      }
      await rename(unfinished, place);
      await syncFolder(builds);
    },
  };
}

/** Undefined where the files are not those that came: no server would take them. */
async function packed(folder: string): Promise<Uint8Array | undefined> {
  const manifestBytes = await readFile(join(folder, BUILD_MANIFEST_FILE));
  const files = new Map([[BUILD_MANIFEST_FILE, manifestBytes]]);
  // It was checked when it came.
  const manifest = JSON.parse(manifestBytes.toString()) as BuildManifest;
  for (const { path, sha256 } of manifest.files) {
    const bytes = await readFile(join(folder, path));
    if (createHash("sha256").update(bytes).digest("hex") !== sha256) return undefined;
    files.set(path, bytes);
  }
  // Sorted, as it was packed: the same bytes come out.
  return archiveFiles(new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1))));
}
