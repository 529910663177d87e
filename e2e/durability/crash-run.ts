import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { RunningServer } from "../running-server.ts";
import { CrashClient } from "./crash-client.ts";
import { expectSoundFiles } from "./expect-sound-files.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { TraceLedger } from "./trace-ledger.ts";

const CLIENTS = 6;

/** What a crash test works with. */
export interface CrashRun {
  readonly random: SeededRandom;
  readonly folder: string;
  readonly clients: readonly CrashClient[];
  readonly ledgers: readonly TraceLedger[];
}

/**
 * Runs a test that kills servers at random moments. Its numbers come from AGATE_CRASH_SEED, else
 * from the clock; a failure says which they were. (The moments are random, what happens then
 * depends on the machine too: a seed makes a failure likely again, not certain.)
 */
export async function crashRun(test: (run: CrashRun) => Promise<void>): Promise<void> {
  const seed = Number(process.env.AGATE_CRASH_SEED ?? Date.now() % 1_000_000);
  const folder = await mkdtemp(join(tmpdir(), "agate-crash-"));
  const clients = Array.from(
    { length: CLIENTS },
    (_, n) => new CrashClient(new SeededRandom(seed + n)),
  );
  const ledgers = clients.map((client) => client.ledger);
  try {
    await test({ random: new SeededRandom(seed), folder, clients, ledgers });
  } catch (error) {
    throw new Error(`AGATE_CRASH_SEED=${seed}: ${error}`, { cause: error });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Kills a server some milliseconds into the work of its clients, and looks at the files that it leaves. */
export async function killAfter(
  ms: number,
  server: RunningServer,
  work: readonly Promise<void>[],
  folder: string,
): Promise<void> {
  await delay(ms);
  await server.kill();
  await Promise.all(work);
  await expectSoundFiles(folder);
}
