import type { ExportLimits } from "./export-limits.ts";
import type { Redact } from "./redaction.ts";

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
