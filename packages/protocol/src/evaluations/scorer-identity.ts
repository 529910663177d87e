import type { ConfigFieldSchema } from "../registry/route-schema.ts";
import type { ScorerKind } from "./run.ts";

/** A scorer of an evaluation, as a runner knows it. */
export interface ScorerIdentity {
  /** The name of its scores. */
  readonly name: string;
  /** A hash of its configuration and of the text of its function. */
  readonly version: string;
  /** `model` for a judge. */
  readonly kind: ScorerKind;
  /** Of a scorer with a configuration. */
  readonly config?: ScorerConfiguration | undefined;
}

/** How a scorer can be configured. */
export interface ScorerConfiguration {
  /** As it was declared, which may differ from the name of its scores. */
  readonly name: string;
  /** A hash of the text of its function. */
  readonly code: string;
  readonly fields: Readonly<Record<string, ConfigFieldSchema>>;
  readonly defaults: Readonly<Record<string, unknown>>;
}
