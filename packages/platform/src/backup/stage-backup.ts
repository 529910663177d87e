import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { BuildManifest } from "@agate/protocol";
import { BUILD_MANIFEST_FILE } from "@agate/protocol";
import { letShrink } from "../stores/sqlite/free-pages.ts";
import { isCorrupt, transientReason } from "../stores/sqlite/sqlite-errors.ts";
import type { BackupFile } from "./read-backup.ts";

export interface StageRequest {
  readonly dataDirectory: string;
  /** An empty folder on the same disk. */
  readonly stage: string;
  /** Which databases are in the data directory. */
  readonly spans: boolean;
  readonly registry: boolean;
}

export type StageOutcome =
  | {
      readonly kind: "staged";
      readonly files: readonly BackupFile[];
      readonly lostBuilds: readonly string[];
    }
  /** The disk or the database does not allow it: one sentence. */
  | { readonly kind: "failed"; readonly reason: string };

/** Taken again when a build goes while its files are collected: each time the registry is younger. */
const REGISTRY_ATTEMPTS = 5;
/** Left to ingest while the copy is there. */
const SPARE_BYTES = 64 * 1024 ** 2;
const HASHED_AT_ONCE = 1024 * 1024;

/**
 * Collects the files of a backup in a folder, while a server writes to the data directory. Blocks its
 * thread for seconds: each database is copied whole.
 *
 * The order makes the parts fit: spans first, so that the registry has every project that they name;
 * then the registry, then the builds that this copy of the registry names.
 */
export function stageBackup(request: StageRequest): StageOutcome {
  try {
    const lack = missingRoom(request);
    if (lack !== undefined) return { kind: "failed", reason: lack };
    const files: BackupFile[] = [];
    if (request.spans) files.push(copyDatabase(request, "spans.db"));
    const rest = request.registry ? stageRegistry(request) : { files: [], lostBuilds: [] };
    files.push(...rest.files);
    return { kind: "staged", files, lostBuilds: rest.lostBuilds };
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return { kind: "failed", reason };
  }
}

/** Asked before anything is copied: a copy that fills the disk would stop ingest first. */
function missingRoom({ dataDirectory, stage, spans, registry }: StageRequest): string | undefined {
  const names = [...(spans ? ["spans.db"] : []), ...(registry ? ["registry.db"] : [])];
  let needed = SPARE_BYTES;
  for (const name of names.flatMap((file) => [file, `${file}-wal`])) {
    needed += statSync(join(dataDirectory, name), { throwIfNoEntry: false })?.size ?? 0;
  }
  const { bavail, bsize } = statfsSync(stage);
  if (bavail * bsize >= needed) return undefined;
  const megabytes = Math.ceil(needed / 1024 ** 2);
  return `The data directory's disk needs ${megabytes} MB of free space for a backup: a copy of the databases is made there first.`;
}

/** `VACUUM INTO` reads one moment of the database and keeps no writer waiting. */
function copyDatabase({ dataDirectory, stage }: StageRequest, name: string): BackupFile {
  const copy = join(stage, name);
  {
    using source = new DatabaseSync(join(dataDirectory, name), { readOnly: true });
    // A store that an earlier version made shrinks once it is restored.
    letShrink(source);
    source.prepare("VACUUM INTO ?").run(copy);
  }
  {
    using db = new DatabaseSync(copy, { readOnly: true });
    const [problem] = Object.values(db.prepare("PRAGMA quick_check(1)").get() ?? {});
    if (problem !== "ok") throw new Error(`The copy of ${name} is not sound: ${problem}`);
  }
  return describeFile(stage, name);
}

function stageRegistry(request: StageRequest): { files: BackupFile[]; lostBuilds: string[] } {
  for (let attempt = 1; ; attempt++) {
    const registry = copyDatabase(request, "registry.db");
    const { files, lostBuilds } = stageBuilds(request);
    // A build that is live in this copy and has no files: it may have been replaced, and swept,
    // since the copy was made. A newer copy shows whether it was.
    if (lostBuilds.length === 0 || attempt === REGISTRY_ATTEMPTS) {
      return { files: [registry, ...files], lostBuilds };
    }
    rmSync(join(request.stage, "registry.db"));
    rmSync(join(request.stage, "builds"), { recursive: true, force: true });
  }
}

function stageBuilds(request: StageRequest): { files: BackupFile[]; lostBuilds: string[] } {
  using registry = new DatabaseSync(join(request.stage, "registry.db"), { readOnly: true });
  const builds = registry
    .prepare(
      `SELECT id, kind = 'hosted' AND (status = 'live' OR EXISTS (
         SELECT 1 FROM deployments WHERE build_id = builds.id AND ended_at IS NULL)) AS is_live
       FROM builds WHERE status <> 'refused' ORDER BY id`,
    )
    .all() as unknown as { readonly id: string; readonly is_live: 0 | 1 }[];
  const files: BackupFile[] = [];
  const lostBuilds: string[] = [];
  for (const { id, is_live } of builds) {
    const staged = stageBuild(request, id);
    if (staged !== undefined) files.push(...staged);
    // Files of builds that served long ago are not kept.
    else if (is_live === 1) lostBuilds.push(id);
  }
  return { files, lostBuilds };
}

/** @returns Undefined where a file is missing, or is not what the build's manifest says. */
function stageBuild({ dataDirectory, stage }: StageRequest, id: string): BackupFile[] | undefined {
  const folder = join("builds", id);
  try {
    const manifest = readFileSync(join(dataDirectory, folder, BUILD_MANIFEST_FILE), "utf8");
    const { files } = JSON.parse(manifest) as BuildManifest;
    const expected = new Map(files.map(({ path, sha256 }) => [path, sha256]));
    const staged = [BUILD_MANIFEST_FILE, ...expected.keys()].map((path) => {
      const name = join(folder, path);
      pin(join(dataDirectory, name), join(stage, name));
      return describeFile(stage, name);
    });
    const digests = [...expected.values()];
    if (staged.slice(1).every(({ sha256 }, n) => sha256 === digests[n])) return staged;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && !(error instanceof SyntaxError)) throw error;
  }
  rmSync(join(stage, folder), { recursive: true, force: true });
  return undefined;
}

/** A second name for the file: it stays, though the build is removed meanwhile. */
function pin(file: string, name: string): void {
  mkdirSync(dirname(name), { recursive: true, mode: 0o700 });
  try {
    linkSync(file, name);
  } catch (error) {
    // `builds/` on a disk of its own, or a file system without links.
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EXDEV", "EPERM", "ENOTSUP", "EMLINK"].includes(code)) throw error;
    copyFileSync(file, name);
  }
}

function describeFile(stage: string, name: string): BackupFile {
  const path = join(stage, name);
  const file = openSync(path, "r");
  try {
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(HASHED_AT_ONCE);
    for (let read = -1; read !== 0; ) {
      read = readSync(file, chunk);
      hash.update(chunk.subarray(0, read));
    }
    return {
      path: name.replaceAll("\\", "/"),
      size: statSync(path).size,
      sha256: hash.digest("hex"),
    };
  } finally {
    closeSync(file);
  }
}

function reasonOf(error: unknown): string | undefined {
  if (isCorrupt(error)) {
    return "A database is damaged and cannot be copied. Stop the server and run `agate check`.";
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") return "The disk is full.";
  return transientReason(error);
}
