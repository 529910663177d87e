import type { Line } from "./report.ts";
import { median, ratio } from "./report.ts";
import {
  residentMegabytes,
  startAgate,
  startBare,
  temporaryFolder,
  untilIdle,
} from "./server-process.ts";

const ROUNDS = 7;

/** From starting the process to its first answer, and what memory it holds when idle. */
export async function benchStartUp(): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const agateMs: number[] = [];
  const bareMs: number[] = [];
  const agateMb: number[] = [];
  const bareMb: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await using agate = await startAgate(folder.path);
    await using bare = await startBare(0, []);
    await untilIdle(agate.pid);
    agateMs.push(agate.firstAnswerMs);
    bareMs.push(bare.firstAnswerMs);
    agateMb.push(residentMegabytes(agate.pid));
    bareMb.push(residentMegabytes(bare.pid));
  }
  return [
    {
      what: "start of the server to its first answer",
      measured: `${Math.round(median(agateMs))} ms`,
      reference: `bare node:http ${Math.round(median(bareMs))} ms`,
      ratio: ratio(median(agateMs) / median(bareMs)),
      target: "≤ 500 ms",
    },
    {
      what: "memory of the idle server",
      measured: `${Math.round(median(agateMb))} MB`,
      reference: `bare node:http ${Math.round(median(bareMb))} MB`,
      ratio: ratio(median(agateMb) / median(bareMb)),
      target: "≤ 120 MB",
    },
  ];
}
