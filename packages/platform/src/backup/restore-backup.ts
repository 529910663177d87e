import { randomUUID } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { filesIn, holdDataDirectory, RESTORE_MARK } from "../stores/sqlite/data-directory.ts";
import { StoreRefusalError } from "../stores/store-errors.ts";
import type { BackupManifest, EntrySink } from "./read-backup.ts";
import { DamagedBackupError, readBackup } from "./read-backup.ts";
import { syncFolder } from "./save-backup.ts";

export interface RestoreRequest {
  readonly backup: string;
  readonly dataDirectory: string;
  /** Whether what the folder holds may be replaced. */
  readonly replace: boolean;
  readonly signal: AbortSignal;
  /** Told which step begins. */
  readonly onStep?: (step: "check" | "write") => void;
}

const STAGE = ".restore-";

/** What the files of a backup replace, as SQLite's own files beside them would spoil these. */
const DATABASE_SUFFIXES = ["", "-wal", "-shm", "-journal"];

/**
 * Puts a backup into a data directory that no server uses. The archive is read twice: nothing is
 * touched before all of it has been compared with its manifest. The files are written to a folder
 * beside the old ones and take their places at the very end.
 *
 * @throws DamagedBackupError, StoreRefusalError with one sentence; nothing was changed.
 */
export async function restoreBackup(request: RestoreRequest): Promise<BackupManifest> {
  const { backup, dataDirectory, signal, onStep = () => {} } = request;
  onStep("check");
  const manifest = await readBackup(createReadStream(backup, { signal }));
  await refuseFilledFolder(request);
  // Makes the folder where there is none, and refuses one that a server uses.
  const held = holdDataDirectory(dataDirectory, () => {});
  try {
    await sweepStages(dataDirectory);
    onStep("write");
    const stage = join(dataDirectory, `${STAGE}${randomUUID()}`);
    try {
      await writeStage(request, manifest, stage);
      for (const name of ["spans.db", "registry.db"]) checkDatabase(join(stage, name));
      signal.throwIfAborted();
      await takePlaces(dataDirectory, stage, manifest);
    } finally {
      await rm(stage, { recursive: true, force: true });
    }
    return manifest;
  } finally {
    held.release();
  }
}

async function refuseFilledFolder({ dataDirectory, replace }: RestoreRequest): Promise<void> {
  if (replace || !existsSync(dataDirectory)) return;
  const { lock, pid } = filesIn(dataDirectory);
  const names = await readdir(dataDirectory);
  const [other] = names.filter(
    (name) => ![lock, pid].includes(join(dataDirectory, name)) && !name.startsWith(STAGE),
  );
  if (other === undefined) return;
  throw new StoreRefusalError(
    `${dataDirectory} is not empty: it has ${JSON.stringify(other)}. Choose another folder, or pass --replace to replace the data in it.`,
  );
}

async function writeStage(
  { backup, signal }: RestoreRequest,
  manifest: BackupManifest,
  stage: string,
): Promise<void> {
  const paths = new Set(manifest.files.map(({ path }) => path));
  const folders = new Set<string>();
  await readBackup(createReadStream(backup, { signal }), async (path) => {
    // A manifest names no path outside the folder; an archive might.
    if (!paths.has(path)) throw new DamagedBackupError("The backup was changed while it was read.");
    const place = join(stage, path);
    const folder = dirname(place);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let each = folder; each.startsWith(stage); each = dirname(each)) folders.add(each);
    return openSink(place);
  });
  for (const folder of folders) await syncFolder(folder);
}

async function openSink(path: string): Promise<EntrySink> {
  const file = await open(path, "wx", 0o600);
  return {
    write: async (chunk) => file.writeFile(chunk),
    end: async () => {
      await file.sync();
      await file.close();
    },
  };
}

function checkDatabase(file: string): void {
  if (!existsSync(file)) return;
  using db = new DatabaseSync(file, { readOnly: true });
  const [problem] = Object.values(db.prepare("PRAGMA quick_check(1)").get() ?? {});
  if (problem === "ok") return;
  throw new DamagedBackupError(`The backup's database is damaged: ${String(problem)}.`);
}

/**
 * Only renames and removals, which take no room. Killed in between, the mark stays, and no server
 * starts on a folder that is neither the old one nor the new.
 */
async function takePlaces(
  directory: string,
  stage: string,
  manifest: BackupManifest,
): Promise<void> {
  const mark = join(directory, RESTORE_MARK);
  await writeFile(mark, "", { mode: 0o600 });
  await syncFolder(directory);
  const replaced = [
    ...(manifest.spans === "included" ? ["spans.db", "index.db"] : []),
    ...(manifest.registry === "included" ? ["registry.db"] : []),
  ];
  for (const name of replaced.flatMap((file) => DATABASE_SUFFIXES.map((end) => file + end))) {
    await rm(join(directory, name), { force: true });
  }
  if (manifest.registry === "included") {
    await rm(join(directory, "builds"), { recursive: true, force: true });
  }
  for (const name of await readdir(stage)) {
    await rename(join(stage, name), join(directory, name));
  }
  await syncFolder(directory);
  await rm(mark);
  await syncFolder(directory);
}

async function sweepStages(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.startsWith(STAGE)) await rm(join(directory, name), { recursive: true, force: true });
  }
}
