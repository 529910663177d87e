import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks a second; the same on every Linux. */
const TICKS = 100;

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** Processor time in seconds, with that of children that have ended. */
  readonly seconds: number;
}

/** Processor seconds that a process and all below it have used. Linux only. */
export function processorSeconds(pid: number): number {
  const all = allProcesses();
  const below = (parent: number): number =>
    all
      .filter((stat) => stat.parent === parent)
      .reduce((sum, stat) => sum + stat.seconds + below(stat.pid), 0);
  return (statOf(pid)?.seconds ?? 0) + below(pid);
}

/** Processor seconds that a process has used, without those below it. Linux only. */
export function ownProcessorSeconds(pid: number): number {
  return statOf(pid)?.seconds ?? 0;
}

/** The processes that a process has started and that still run. Linux only. */
export function childrenOf(pid: number): readonly number[] {
  return allProcesses()
    .filter(({ parent }) => parent === pid)
    .map((child) => child.pid);
}

function allProcesses(): readonly ProcessStat[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat !== null);
}

/** Null when it has ended meanwhile. */
function statOf(pid: number): ProcessStat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return null;
  }
  // After the name, which may hold anything.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid, parent: Number(fields[1]), seconds: ticks / TICKS };
}
