import { mkdir, writeFile } from "node:fs/promises";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { createLoad } from "../loads/load.ts";
import type { LoadName } from "../loads/trace-plans.ts";
import { residentMegabytes, startAgate, temporaryFolder } from "../server-process.ts";
import type { EngineName } from "./engine.ts";
import type { EngineFigures, StoresRun } from "./figures.ts";
import { measureBulkLoad } from "./measure-bulk-load.ts";
import { measureIngest } from "./measure-ingest.ts";
import { measureReads } from "./measure-reads.ts";
import { openEngine } from "./open-engine.ts";
import { storesTable } from "./stores-table.ts";
import { createWorkload } from "./workload.ts";

const RESULTS = join(import.meta.dirname, "../results");
/** Of the spans, how many are loaded into the store itself afterwards. */
const BULK_PART = 5;

/** The same workload on every engine; prints a table and keeps the figures as JSON. */
export async function benchStores(
  load: LoadName,
  spans: number,
  engines: readonly EngineName[],
): Promise<void> {
  const [loadBefore = 0] = loadavg();
  const measured: EngineFigures[] = [];
  for (const engine of engines) {
    process.stderr.write(`${engine}: ${spans.toLocaleString("en")} spans …\n`);
    measured.push(await measureEngine(engine, load, spans));
  }
  const run: StoresRun = {
    date: new Date().toISOString().slice(0, 10),
    command: `npm run bench -- stores --load ${load} --spans ${spans}`,
    machine: `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    cores: cpus().length,
    loadBefore,
    engines: measured,
  };
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, "stores.json"), `${JSON.stringify(run, null, 2)}\n`);
  const where = `${run.machine}, load before ${loadBefore.toFixed(1)}`;
  process.stdout.write(`\n${run.command}, ${run.date}, ${where}\n\n${storesTable(run)}`);
}

async function measureEngine(
  name: EngineName,
  loadName: LoadName,
  spans: number,
): Promise<EngineFigures> {
  await using engine = await openEngine(name);
  const load = createLoad(loadName);
  const workload = createWorkload(load, spans);
  const { place } = engine;
  const served = await serve();
  const bulkSpansPerSecond = await measureBulkLoad(
    place.address,
    createWorkload(load, spans / BULK_PART),
  );
  return { ...served, bulkSpansPerSecond };

  async function serve(): Promise<Omit<EngineFigures, "bulkSpansPerSecond">> {
    await using folder = await temporaryFolder();
    await using agate =
      "url" in place
        ? await startAgate(folder.path, { AGATE_STORE: place.url })
        : await startAgate(place.address.directory);
    const pids = engine.pid === null ? [agate.pid] : [agate.pid, engine.pid];
    const logBefore = await engine.logBytes();
    const { figures, spans, sentBytes, ids } = await measureIngest(agate, engine.pid, workload);
    const serverMegabytes = residentMegabytes(agate.pid, "at-most");
    const logAfter = await engine.logBytes();
    const reads = await measureReads(agate.port, pids, workload, ids);
    await agate.stop();
    return {
      engine: name,
      description: engine.description,
      spans,
      sentBytesPerSpan: sentBytes / spans,
      diskBytesPerSpan: (await engine.bytes()) / spans,
      logBytesPerSpan:
        logBefore === null || logAfter === null ? null : (logAfter - logBefore) / spans,
      ingest: figures,
      serverMegabytes,
      reads,
    };
  }
}
