import { applicationSetting, environment, setting } from "../runtime/environment.ts";
import type { Redact } from "./redaction.ts";
import type { QueueLimits } from "./span-queue.ts";

/** How an app's telemetry is set up. Without a `baseUrl`, spans are made but go nowhere. */
export interface TelemetryOptions {
  /** Where the platform is, such as `http://127.0.0.1:4100`. */
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** The application of spans that no call gives one. */
  readonly application?: string | undefined;
  /** What not to record of inputs, outputs, internals and configurations. */
  readonly redact?: Redact | undefined;
  /** False to record none of them. */
  readonly captureContent?: boolean | undefined;
  /** Characters of JSON a field; a longer one is cut. 1,048,576 by default. */
  readonly contentLimit?: number | undefined;
  /**
   * True to send nothing to the platform. Calls still have ids, the playground its trees, and an
   * OpenTelemetry set-up of the process its spans.
   */
  readonly disabled?: boolean | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Where the few sentences go that a person should read; the console's by default. */
  readonly onWarning?: ((sentence: string) => void) | undefined;
  readonly limits?: Partial<ExportLimits> | undefined;
}

/** How spans wait, and how they are sent. */
export interface ExportLimits extends QueueLimits {
  /** The longest that a span waits for others to be sent with. */
  readonly intervalMs: number;
  /** The first pause after a failure; each further one is twice as long. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
  /** How long one request may take. */
  readonly timeoutMs: number;
  /** How long `flush` and `shutdown` may take. */
  readonly flushMs: number;
}

const MIB = 1024 * 1024;

/** A batch is well below the 16 MiB that the platform takes, even where each character is 3 bytes. */
export const DEFAULT_EXPORT_LIMITS: ExportLimits = {
  maxSpans: 8_192,
  maxBytes: 64 * MIB,
  batchSpans: 512,
  batchBytes: 4 * MIB,
  intervalMs: 1_000,
  retryMs: 1_000,
  maxRetryMs: 30_000,
  timeoutMs: 10_000,
  flushMs: 5_000,
};

/** Timers that are to wait longer fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The limits of an exporter: what is not given has its default, and no wait is longer than a timer's. */
export function exportLimits(given: Partial<ExportLimits> = {}): ExportLimits {
  const limits = { ...DEFAULT_EXPORT_LIMITS, ...given };
  const wait = (ms: number) => Math.min(ms, LONGEST_TIMER_MS);
  return {
    ...limits,
    intervalMs: wait(limits.intervalMs),
    retryMs: wait(limits.retryMs),
    maxRetryMs: wait(limits.maxRetryMs),
    timeoutMs: wait(limits.timeoutMs),
    flushMs: wait(limits.flushMs),
  };
}

/** Options, where they are not given from the environment: `AGATE_BASE_URL` and so on. */
export function withEnvironment(options: TelemetryOptions): TelemetryOptions {
  return {
    ...options,
    baseUrl: setting(options.baseUrl, "AGATE_BASE_URL"),
    apiKey: setting(options.apiKey, "AGATE_API_KEY"),
    application: applicationSetting(options.application),
    disabled: options.disabled ?? (isOn("AGATE_TELEMETRY_DISABLED") || isOn("OTEL_SDK_DISABLED")),
  };
}

function isOn(name: string): boolean {
  return ["1", "true"].includes(environment(name)?.toLowerCase() ?? "");
}
