import { readFileSync, writeFileSync } from "node:fs";

/** In bytes. */
export type ProcessMemory = Readonly<
  Record<
    /** What the process has taken for itself. */
    | "own"
    /** The same and the pages of mapped files, which the system can take back at any time. */
    | "resident"
    /** The most that `resident` was, ever or since it was last reset. */
    | "peakResident",
    number
  >
>;

/** Null where the system does not tell: only Linux does. */
export function readMemory(pid: number): ProcessMemory | null {
  if (process.platform !== "linux") return null;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024;
  return { own: field("RssAnon"), resident: field("VmRSS"), peakResident: field("VmHWM") };
}

/** Begins to watch how much a process takes for itself; gives the most that it was. */
export function watchMemory(pid: number): { stop(): ProcessMemory & { peakOwn: number } } | null {
  if (process.platform !== "linux") return null;
  // Resets the peak: proc_pid_clear_refs(5).
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  let peakOwn = 0;
  const look = () => {
    peakOwn = Math.max(peakOwn, readMemory(pid)?.own ?? 0);
  };
  const timer = setInterval(look, 20);
  return {
    stop() {
      clearInterval(timer);
      look();
      return { ...(readMemory(pid) as ProcessMemory), peakOwn };
    },
  };
}
