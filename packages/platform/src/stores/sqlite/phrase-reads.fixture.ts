import { vi } from "vitest";
import { interruptMemory } from "./query-interrupt.ts";
import { QueryRunner } from "./query-runner.ts";
import { TracePhrases } from "./trace-phrases.ts";

/**
 * How many traces a query reads for phrases, those of each of its pages.
 *
 * @param rareMatches So many matches are looked up; where there are more, a list is walked.
 */
export function countReads(
  directory: string,
  rareMatches: number,
  query: (runner: QueryRunner) => void,
): number {
  const reads: Set<number>[] = [];
  const { all } = TracePhrases.prototype;
  const spy = vi.spyOn(TracePhrases.prototype, "all").mockImplementation(function (
    this: TracePhrases,
    phrases,
  ) {
    const hasAll = all.call(this, phrases);
    const read = new Set<number>();
    reads.push(read);
    return (traceNo) => {
      read.add(traceNo);
      return hasAll(traceNo);
    };
  });
  const runner = new QueryRunner(directory, interruptMemory(), rareMatches);
  try {
    query(runner);
  } finally {
    runner.close();
    spy.mockRestore();
  }
  return reads.reduce((sum, { size }) => sum + size, 0);
}
