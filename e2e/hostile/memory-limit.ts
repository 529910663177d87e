import { accessSync, constants, existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where the machine has control groups for memory: version 1, version 2, or none. */
function memoryGroups(): { readonly folder: string; readonly limitFile: string } | undefined {
  const groups = [
    { folder: "/sys/fs/cgroup/memory", limitFile: "memory.limit_in_bytes" },
    { folder: "/sys/fs/cgroup", limitFile: "memory.max" },
  ];
  return groups.find(({ folder }) => {
    const isMemory = folder.endsWith("memory") || existsSync(join(folder, "cgroup.controllers"));
    if (!isMemory || !existsSync(folder)) return false;
    try {
      accessSync(folder, constants.W_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Whether processes can be given a limit here: as root on Linux, and not in most containers. */
export const canLimitMemory = memoryGroups() !== undefined;

export interface MemoryLimit extends Disposable {
  /** For `startServer({ within })`: the process joins the group before Node reads its limits. */
  readonly within: readonly string[];
}

/** A control group of so many bytes: a process that takes more is killed, as in a container. */
export function limitMemory(bytes: number): MemoryLimit {
  const groups = memoryGroups();
  if (groups === undefined) throw new Error("No control groups for memory");
  const folder = join(groups.folder, `agate-e2e-${process.pid}-${Date.now()}`);
  mkdirSync(folder);
  writeFileSync(join(folder, groups.limitFile), String(bytes));
  return {
    within: ["sh", "-c", 'echo $$ > "$0" && exec "$@"', join(folder, "cgroup.procs")],
    [Symbol.dispose]: () => rmdirSync(folder),
  };
}
