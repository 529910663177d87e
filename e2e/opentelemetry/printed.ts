import type { PrintedSpan } from "./programs/printing-exporter.ts";
import type { EndedProgram } from "./running-program.ts";

/** What a program's own exporter printed. */
export function spansPrinted({ printed }: Pick<EndedProgram, "printed">): PrintedSpan[] {
  const lines = printed as { readonly exported?: PrintedSpan }[];
  return lines.flatMap(({ exported }) => exported ?? []);
}

interface Statistics {
  readonly exported: number;
  readonly dropped: number;
  readonly queued: number;
  readonly lastError: string | null;
  readonly faults: number;
}

/** What a program printed last of `ag.exportStatistics()`. */
export function statisticsPrinted({ printed, stderr }: EndedProgram): Statistics {
  const lines = printed as { readonly statistics?: Statistics }[];
  const found = lines.findLast(({ statistics }) => statistics !== undefined)?.statistics;
  if (found === undefined) throw new Error(`The program printed no statistics: ${stderr}`);
  return found;
}
