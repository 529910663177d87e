import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ConfigSchema } from "../config/config-schema.ts";
import type { FunctionKind } from "../runtime/function-kind.ts";
import type { ContentRules } from "../tracing/content-rules.ts";
import type { Call } from "./route-types.ts";

/** A route as the server sees it. */
export interface RouteDefinition {
  /** `/summarize`; the entrypoint is `/`. */
  readonly path: string;
  /** As messages and spans name it: `summarize`; the entrypoint is `/`. */
  readonly name: string;
  /** `invoke_workflow summarize`. */
  readonly spanName: string;
  readonly config: ConfigSchema<object>;
  readonly input: StandardSchemaV1 | undefined;
  readonly output: StandardSchemaV1 | undefined;
  readonly chunk: StandardSchemaV1 | undefined;
  readonly timeout: number | undefined;
  readonly description: string | undefined;
  /** What is not recorded of its calls. */
  readonly rules: ContentRules;
  /** Entrypoints have the paths `/generate` and `/generate_deployed` too. */
  readonly isEntrypoint: boolean;
  /** The function, bound to its object where it is a method. Throws while that object is missing. */
  readonly handler: (input: unknown, call: Call<unknown>) => unknown;
  /** Its name, where it is a decorated method. */
  readonly method?: string | symbol;
  /** Of which kind the function is. */
  readonly kind: FunctionKind;
  /** What the function gets where a call has no input. */
  readonly absentInput: () => unknown;
  /** The function as its author wrote it: its source shows what it takes. */
  readonly declared: (...args: never[]) => unknown;
}
