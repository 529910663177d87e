import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { BuildManifest } from "@agate/protocol";
import type { TarEntry } from "modern-tar";
import { packTar } from "modern-tar";

export interface ArchiveContents {
  /** Path → content. */
  readonly files: Readonly<Record<string, string>>;
  /** Replaces what the manifest would say. */
  readonly manifest?: Partial<Record<keyof BuildManifest, unknown>>;
  /** Further entries of any kind. */
  readonly entries?: readonly TarEntry[];
}

/** An archive as docs/reference/build-archive.md has it, or one that is wrong somewhere. */
export async function buildArchive(contents: ArchiveContents): Promise<Uint8Array> {
  const { files, entries = [] } = contents;
  const manifest = { ...manifestOf(files), ...contents.manifest };
  return gzipSync(
    await packTar([
      ...Object.entries(files).map(([name, content]) => fileEntry(name, content)),
      fileEntry("agate-build.json", JSON.stringify(manifest)),
      ...entries,
    ]),
  );
}

export function fileEntry(name: string, content: string): TarEntry {
  const body = Buffer.from(content);
  return { header: { name, size: body.length, type: "file", mtime: new Date(0) }, body };
}

function manifestOf(files: Readonly<Record<string, string>>): BuildManifest {
  const lockfile = files["package-lock.json"];
  return {
    format: 1,
    application: "support",
    entry: "app.js",
    sdk_version: "0.1.0",
    node: ">=22.15",
    install:
      lockfile === undefined ? null : { package_manager: "npm", lock_hash: sha256(lockfile) },
    files: Object.entries(files)
      .map(([path, content]) => ({
        path,
        size: Buffer.byteLength(content),
        sha256: sha256(content),
      }))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
