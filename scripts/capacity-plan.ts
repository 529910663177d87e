// How many machines a number of spans a day takes, from what was measured. The guide to scaling shows
// the formulas; scaling-page.ts puts the results there.

/** What was measured, a span. */
export interface SizingInputs {
  /** On the disk of one copy. */
  readonly diskBytes: number;
  /** Processor time of Agate, in microseconds. */
  readonly serverMicros: number;
  /** The same of the database, for one copy. */
  readonly engineMicros: number;
}

export const ASSUMPTIONS = {
  /** The busiest moment of a day beside its average. */
  peak: 3,
  /** What part of the cores may be busy at that moment. */
  busy: 0.6,
  /** Cores for reading, merging and backups beside those for writing. */
  reading: 2,
  retentionDays: 30,
  /** What part of a disk may be full. */
  full: 0.7,
  copies: 3,
  agateCores: 2,
  /** The least number of servers, so that one may be away. */
  agatePods: 3,
  nodeCores: 16,
  nodeMemoryGib: 64,
  nodeDiskTb: 8,
} as const;

export interface CapacityPlan {
  readonly spansPerSecond: number;
  readonly peakPerSecond: number;
  readonly agateCores: number;
  readonly agatePods: number;
  /** Of one copy of the spans, in all. */
  readonly databaseCores: number;
  readonly diskTbPerCopy: number;
  readonly diskTb: number;
  /** Machines that share a copy. */
  readonly shards: number;
  readonly nodes: number;
}

export function planCapacity(spansPerDay: number, inputs: SizingInputs): CapacityPlan {
  const { peak, busy, reading, retentionDays, full, copies, ...size } = ASSUMPTIONS;
  const spansPerSecond = spansPerDay / 86_400;
  const peakPerSecond = spansPerSecond * peak;
  const agateCores = (peakPerSecond * inputs.serverMicros) / 1e6 / busy;
  const databaseCores = ((peakPerSecond * inputs.engineMicros) / 1e6 / busy) * reading;
  const diskTbPerCopy = (spansPerDay * retentionDays * inputs.diskBytes) / full / 1e12;
  const shards = Math.max(
    Math.ceil(diskTbPerCopy / size.nodeDiskTb),
    Math.ceil(databaseCores / size.nodeCores),
  );
  return {
    spansPerSecond,
    peakPerSecond,
    agateCores,
    agatePods: Math.max(size.agatePods, Math.ceil(agateCores / size.agateCores)),
    databaseCores,
    diskTbPerCopy,
    diskTb: diskTbPerCopy * copies,
    shards,
    nodes: shards * copies,
  };
}
