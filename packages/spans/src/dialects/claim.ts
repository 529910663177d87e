import type { SpanKind } from "@agate/protocol";

/** Fields that hold a text, each filled from the first usable attribute. */
export type TextField =
  | "responseModel"
  | "requestModel"
  | "provider"
  | "userId"
  | "sessionId"
  | "application"
  | "environment"
  | "variantId"
  | "variantName";

/** Fields that hold a number which is not negative. */
export type NumberField =
  | "revision"
  | "inputTokens"
  | "outputTokens"
  | "totalTokens"
  | "cachedInputTokens"
  | "reasoningTokens"
  | "cacheWriteTokens"
  | "cost";

/** What an attribute is for. A lower rank wins where several attributes are for the same field. */
export type Claim =
  | { readonly use: "text"; readonly field: TextField; readonly rank: number }
  | { readonly use: "number"; readonly field: NumberField; readonly rank: number }
  | {
      readonly use: "kind";
      readonly rank: number;
      readonly kindOf: (value: string) => SpanKind | null;
    }
  /** A parameter of a model call; `key` is its name in `config` as a JSON key, with its colon. */
  | { readonly use: "parameter"; readonly key: string; readonly rank: number }
  /** A JSON object that holds all the parameters of a model call. */
  | { readonly use: "parameters"; readonly rank: number }
  /** A JSON object of tokens or of costs. */
  | { readonly use: "figures"; readonly dialect: number }
  /** Read by the dialect's `content`. */
  | { readonly use: "content"; readonly dialect: number }
  /** `llm.input_messages.0.message.role`: group `llm.input_messages`, path `0 message role`. */
  | {
      readonly use: "indexed";
      readonly dialect: number;
      readonly group: string;
      readonly path: readonly string[];
    };
