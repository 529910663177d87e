import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "./running-server.ts";
import { sendSpans } from "./sent-span.ts";

/** A data directory for one test. */
export interface DataFolder extends AsyncDisposable {
  readonly path: string;
  readonly spansFile: string;
}

export async function emptyDataFolder(): Promise<DataFolder> {
  const path = await mkdtemp(join(tmpdir(), "agate-data-"));
  return {
    path,
    spansFile: join(path, "spans.db"),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** A data directory that a server has written 200 traces to. */
export async function filledDataFolder(end: "stop" | "kill"): Promise<DataFolder> {
  const folder = await emptyDataFolder();
  await using server = await startServer({ dataDirectory: folder.path });
  await sendTraces(server.url, 0);
  await server[end]();
  return folder;
}

/** A copy of a folder that no server uses, to be damaged. */
export async function copyDataFolder({ path }: DataFolder): Promise<DataFolder> {
  const copy = await emptyDataFolder();
  await cp(path, copy.path, { recursive: true });
  return copy;
}

/** Another 200 traces, which the write-ahead log still holds. */
export async function sendMoreAndKill(folder: DataFolder): Promise<void> {
  await using server = await startServer({ dataDirectory: folder.path });
  await sendTraces(server.url, 200);
  await server.kill();
}

async function sendTraces(serverUrl: string, first: number): Promise<void> {
  const spans = Array.from({ length: 200 }, (_, n) => ({
    traceId: String(first + n).padStart(32, "a"),
    spanId: String(first + n).padStart(16, "b"),
    parentSpanId: null,
    name: `span ${first + n}`,
    start: 1_700_000_000_000_000 + n,
    inputs: "word ".repeat(400),
  }));
  const status = await sendSpans(serverUrl, spans);
  if (status !== 200) throw new Error(`The server answered ${status}`);
}

/**
 * Name of each file → a digest of its content. Without empty files (SQLite makes some to look), its
 * shared memory, which holds nothing that lasts, and the lock.
 */
export async function digestFiles(folder: DataFolder): Promise<Record<string, string>> {
  const names = await readdir(folder.path);
  const digests: Record<string, string> = {};
  for (const name of names.sort()) {
    if (name.endsWith("-shm") || name.startsWith("agate.lock")) continue;
    const content = await readFile(join(folder.path, name));
    if (content.length === 0) continue;
    digests[name] =
      `${content.length} bytes, ${createHash("sha256").update(content).digest("hex")}`;
  }
  return digests;
}
