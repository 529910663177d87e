import { readFileSync } from "node:fs";

/** Descriptors for everything that is no connection: databases, threads, logs, builds. */
const RESERVED = 128;
/** A connection may need a second one: to a build, or to a database. */
const DESCRIPTORS_PER_CONNECTION = 2;
/** Where there are hardly any, a few connections still get in. */
const FEWEST = 16;

/** How many connections fit into so many file descriptors, of those that are wanted. */
export function connectionsWithin(descriptors: number, wanted: number): number {
  const room = Math.floor((descriptors - RESERVED) / DESCRIPTORS_PER_CONNECTION);
  return Math.min(wanted, Math.max(FEWEST, room));
}

/** How many descriptors this process may have; infinite where the system does not tell. */
export function descriptorLimit(): number {
  if (process.platform !== "linux") return Number.POSITIVE_INFINITY;
  const limits = readFileSync("/proc/self/limits", "utf8");
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}
