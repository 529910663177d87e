import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createTarPacker } from "modern-tar";
import { spawnThread } from "../threads/spawn-thread.ts";
import { VERSION } from "../version.ts";
import type { BackupManifest } from "./read-backup.ts";
import { BACKUP_MANIFEST } from "./read-backup.ts";
import type { StageOutcome, StageRequest } from "./stage-backup.ts";

export interface BackupSource {
  readonly dataDirectory: string;
  /** Which databases are in the data directory, and not elsewhere. */
  readonly spans: boolean;
  readonly registry: boolean;
}

/** A consistent copy of what a data directory holds, ready to be read. Disposing of it removes the copy. */
export interface Backup extends AsyncDisposable {
  readonly kind: "taken";
  readonly manifest: BackupManifest;
  /** The copy as a tar, its manifest last. */
  archive(): AsyncIterable<Uint8Array>;
}

export type BackupOutcome = Backup | { readonly kind: "failed"; readonly reason: string };

const STAGE = ".backup-";

/**
 * Copies a data directory as it is at one moment, on a thread of its own: a server goes on writing.
 *
 * @example
 * const backup = await takeBackup({ dataDirectory: ".agate", spans: true, registry: true });
 */
export async function takeBackup(source: BackupSource): Promise<BackupOutcome> {
  await using parts = new AsyncDisposableStack();
  const stage = join(source.dataDirectory, `${STAGE}${randomUUID()}`);
  await mkdir(stage, { mode: 0o700 });
  parts.defer(() => rm(stage, { recursive: true, force: true }));
  const createdAt = new Date().toISOString();
  const outcome = await stageInThread({ ...source, stage });
  if (outcome.kind === "failed") return outcome;
  const manifest: BackupManifest = {
    format: 1,
    agate_version: VERSION,
    created_at: createdAt,
    spans: source.spans ? "included" : "elsewhere",
    registry: source.registry ? "included" : "elsewhere",
    lost_builds: outcome.lostBuilds,
    files: outcome.files,
  };
  const rest = parts.move();
  return {
    kind: "taken",
    manifest,
    archive: () => archive(stage, manifest),
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}

/** Removes what backups that were killed have left in a data directory. */
export async function sweepBackups(dataDirectory: string): Promise<void> {
  for (const name of await readdir(dataDirectory)) {
    if (!name.startsWith(STAGE)) continue;
    await rm(join(dataDirectory, name), { recursive: true, force: true });
  }
}

async function stageInThread(request: StageRequest): Promise<StageOutcome> {
  const worker = spawnThread(import.meta.url, "backup-worker", request);
  // Rejects with what the thread died of.
  const [outcome] = (await once(worker, "message")) as [StageOutcome];
  return outcome;
}

async function* archive(
  stage: string,
  manifest: BackupManifest,
): AsyncGenerator<Uint8Array, void, void> {
  const { readable, controller } = createTarPacker();
  const packed = pack(stage, manifest, controller).catch((error) => controller.error(error));
  yield* readable;
  await packed;
}

async function pack(
  stage: string,
  manifest: BackupManifest,
  controller: ReturnType<typeof createTarPacker>["controller"],
): Promise<void> {
  const header = { mode: 0o600, uid: 0, gid: 0, mtime: new Date(manifest.created_at) };
  for (const { path, size } of manifest.files) {
    const writer = controller.add({ ...header, name: path, size }).getWriter();
    for await (const chunk of createReadStream(join(stage, path), { highWaterMark: 256 * 1024 })) {
      await writer.write(chunk);
    }
    await writer.close();
  }
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  const writer = controller
    .add({ ...header, name: BACKUP_MANIFEST, size: text.length })
    .getWriter();
  await writer.write(text);
  await writer.close();
  controller.finalize();
}

type BackupsOutcome =
  | BackupOutcome
  /** Another one is being taken: a second copy at the same time would only take more room. */
  | { readonly kind: "running" }
  /** Spans and registry are in databases that have tools of their own for this. */
  | { readonly kind: "elsewhere" };

/** Takes backups of a running platform, one at a time. */
export class Backups {
  readonly #source: BackupSource;
  #isRunning = false;

  constructor(source: BackupSource) {
    this.#source = source;
  }

  /** The backup counts as under way until it is disposed of. */
  async take(): Promise<BackupsOutcome> {
    if (!this.#source.spans && !this.#source.registry) return { kind: "elsewhere" };
    if (this.#isRunning) return { kind: "running" };
    this.#isRunning = true;
    try {
      const outcome = await takeBackup(this.#source);
      return outcome.kind === "taken" ? this.#released(outcome) : this.#ended(outcome);
    } catch (error) {
      this.#isRunning = false;
      throw error;
    }
  }

  #released(backup: Backup): Backup {
    return {
      ...backup,
      [Symbol.asyncDispose]: async () => {
        await backup[Symbol.asyncDispose]();
        this.#isRunning = false;
      },
    };
  }

  #ended(outcome: BackupOutcome): BackupOutcome {
    this.#isRunning = false;
    return outcome;
  }
}
