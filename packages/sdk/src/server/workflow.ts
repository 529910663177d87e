import type { Span } from "@opentelemetry/api";
import type { ConfigSource } from "../config-source/config-source.ts";
import type { RouteTable } from "../routes/route-table.ts";
import type { Telemetry } from "../tracing/telemetry.ts";
import type { CorsPolicy } from "./cors.ts";

/** What the server serves: the parts of an app that a call needs. */
export interface Workflow {
  readonly routes: RouteTable;
  /** As spans name it; null for an app without a name. */
  readonly application: string | null;
  /** The environment of deployed calls that name none. */
  readonly environment: string;
  readonly telemetry: Telemetry;
  readonly configSource: ConfigSource;
  readonly maxBodyBytes: number;
  /** The path that it is served below; empty for the root. */
  readonly basePath: string;
  /** Whether it serves playground endpoints. */
  readonly playground: boolean;
  /** Whether deployed endpoints answer with what a function threw, where its route does not say. */
  readonly exposeErrors: boolean;
  /** Null where no page of another origin may call it. */
  readonly cors: CorsPolicy | null;
  /** Passes each distinct warning on once. */
  warn(sentence: string): void;
  /** Reports what a function threw. Never throws. */
  reportFailure(thrown: unknown, route: string, span: Span): void;
}
