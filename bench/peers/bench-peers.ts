import { mkdirSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createLoad } from "../loads/load.ts";
import { measureSystem, type PeerLoad } from "./measure-system.ts";
import { type Outcome, peersTable } from "./peers-table.ts";
import { SYSTEMS } from "./systems.ts";
import { prepareVenv } from "./venv.ts";

const WARM_UP_BATCHES = 2;
/** For one system, from its start. */
const MOST_SYSTEM_MS = 15 * 60_000;

/**
 * Agate beside MLflow and Phoenix, one after the other, each with the same requests.
 *
 * @param venv A folder for the virtual environment that is kept; without it, one that is removed.
 */
export async function benchPeers(spans: number, venv: string | undefined): Promise<void> {
  await using ending = new AsyncDisposableStack();
  const interrupted = new Promise<"interrupted">((done) => {
    // Again and again: a terminal and npm both tell of one Ctrl-C, and cleaning up takes some seconds.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
      process.on(signal, () => done("interrupted"));
    }
  });
  const work = compare(ending, spans, venv === undefined ? undefined : resolve(venv));
  // It fails when its servers are stopped under it.
  work.catch(() => {});
  if ((await Promise.race([work, interrupted])) === "interrupted") {
    process.stderr.write("Interrupted: stopping what was started…\n");
    await ending.disposeAsync();
    process.exit(130);
  }
}

async function compare(
  ending: AsyncDisposableStack,
  spans: number,
  keptVenv: string | undefined,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "agate-peers-"));
  ending.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const venv = keptVenv ?? join(folder, "venv");
  await prepareVenv(ending, venv, join(folder, "pip.log"));
  const load = createPeerLoad(spans);
  const outcomes: Outcome[] = [];
  for (const [n, system] of SYSTEMS.entries()) {
    process.stdout.write(`${system.name}…\n`);
    const ownFolder = join(folder, String(n));
    mkdirSync(ownFolder);
    const own = ending.use(new AsyncDisposableStack());
    const measured = measureSystem(own, system, load, ownFolder, venv);
    outcomes.push(
      await Promise.race([measured, tooLong()]).then(
        (figures): Outcome => ({ name: system.name, figures }),
        (error: Error): Outcome => ({ name: system.name, problem: error.message }),
      ),
    );
    await own.disposeAsync();
  }
  // The last system fails when it is interrupted, and its figures are void for no fault of its own.
  if (ending.disposed) return;
  process.stdout.write(`\n${peersTable(outcomes)}`);
  if (outcomes.some((outcome) => "problem" in outcome)) process.exitCode = 1;
}

/** Made once: every system gets the same bytes. */
function createPeerLoad(spans: number): PeerLoad {
  const load = createLoad("mixed");
  const batches = (count: number) => Array.from({ length: count }, () => load.batch());
  return {
    warmUp: batches(WARM_UP_BATCHES),
    batches: batches(Math.ceil(spans / load.spansPerBatch)),
    spansPerTrace: load.spansPerTrace,
  };
}

async function tooLong(): Promise<never> {
  await pause(MOST_SYSTEM_MS, null, { ref: false });
  throw new Error(`not finished after ${MOST_SYSTEM_MS / 60_000} minutes`);
}
