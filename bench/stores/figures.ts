import type { EngineName } from "./engine.ts";

/** How quickly something was answered. */
export interface ReadFigures {
  readonly what: string;
  readonly connections: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  /** Processor time of server and database together, in microseconds a read. */
  readonly micros: number;
}

export interface IngestFigures {
  readonly spansPerSecond: number;
  /** Milliseconds until a batch was acknowledged. */
  readonly p50: number;
  readonly p95: number;
  /** Processor time, in microseconds a span, until everything was indexed and merged. */
  readonly serverMicros: number;
  /** Of the database's own processes; null where it has none here. */
  readonly engineMicros: number | null;
}

/** What was measured of one engine. */
export interface EngineFigures {
  readonly engine: EngineName;
  readonly description: string;
  readonly spans: number;
  /** Of protobuf, as it was sent. */
  readonly sentBytesPerSpan: number;
  readonly diskBytesPerSpan: number;
  /** Written to the log of changes, which replicas and archives get. */
  readonly logBytesPerSpan: number | null;
  readonly ingest: IngestFigures;
  readonly bulkSpansPerSecond: number;
  /** Megabytes (10^6 bytes) that the server held at most. */
  readonly serverMegabytes: number;
  readonly reads: readonly ReadFigures[];
}

/** One run of all engines, as it is kept. */
export interface StoresRun {
  readonly date: string;
  readonly command: string;
  readonly machine: string;
  readonly cores: number;
  /** How many processes others kept waiting for a core, the minute before it began. */
  readonly loadBefore: number;
  readonly engines: readonly EngineFigures[];
}
