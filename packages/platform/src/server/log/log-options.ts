export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `json`: a line an entry, for machines. `pretty`: the same for people. */
export const LOG_FORMATS = ["json", "pretty"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** A file descriptor; standard output where nothing is said. */
  readonly destination?: number;
  /** Whether requests have their lines; true where nothing is said. */
  readonly requests?: boolean;
}
