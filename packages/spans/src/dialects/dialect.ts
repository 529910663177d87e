import type { SpanKind } from "@agate/protocol";
import { SPAN_KINDS } from "@agate/protocol";
import type { Attributes } from "../otlp-span.ts";
import type { ContentDraft } from "./content-draft.ts";

/** One vocabulary of attributes, and how it is read. Names are listed best first. */
export interface Dialect {
  readonly name: string;
  readonly text?: Partial<Readonly<Record<TextField, readonly string[]>>>;
  readonly numbers?: Partial<Readonly<Record<NumberField, readonly string[]>>>;
  /** The attributes that name the span's kind. */
  readonly kind?: KindAttribute | readonly KindAttribute[];
  /** Parameters of a model call: the attribute's name and the one it has in `config`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Every attribute below this prefix is a parameter, named by the rest. */
  readonly parameterPrefixes?: readonly string[];
  /** Attributes that hold all the parameters of a model call as one JSON object. */
  readonly parameterObjects?: readonly string[];
  /** Attributes that `content` reads. */
  readonly contentNames?: readonly string[];
  /** More of them: the names below the prefix whose rest matches. */
  readonly contentPattern?: { readonly prefix: string; readonly rest: RegExp };
  /** Prefixes of indexed attributes that `content` reads: `gen_ai.prompt` for `gen_ai.prompt.0.role`. */
  readonly groups?: readonly string[];
  /** Prefixes of flattened objects that `content` reads: `ag.data.inputs` for `ag.data.inputs.question`. */
  readonly trees?: readonly string[];
  /** Fills what is still empty in the draft. Called for spans that have one of the above. */
  content?(attributes: Attributes, draft: ContentDraft): void;
  /** Attributes that `figures` reads. */
  readonly figureNames?: readonly string[];
  figures?(attributes: Attributes): DialectFigures;
}

/** An attribute that names the span's kind; `kindOf` gets its value in lower case, and whether the span has no parent. */
export interface KindAttribute {
  readonly name: string;
  kindOf(value: string, isRoot: boolean): SpanKind | null;
}

/** Tokens, cost and names out of JSON attributes, and which of those hold nothing else. */
export interface DialectFigures {
  readonly text?: Partial<Readonly<Record<TextField, string>>>;
  readonly numbers: Partial<Readonly<Record<NumberField, number>>>;
  readonly fullyRead: readonly string[];
}

/** Fields that hold a text, each filled from the first usable attribute. */
export type TextField =
  /** The provider's id of a model's answer: no field of the record, but reports of a call share it. */
  | "responseId"
  | "responseModel"
  | "requestModel"
  | "provider"
  | "userId"
  | "sessionId"
  | "application"
  | "environment"
  | "variantId"
  | "variantName"
  | "statusMessage";

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
      readonly kindOf: KindAttribute["kindOf"];
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

const BY_NAME: ReadonlyMap<string, SpanKind> = new Map(
  SPAN_KINDS.filter((kind) => kind !== "UNKNOWN").map((kind) => [kind.toLowerCase(), kind]),
);

/** The kind with this name (in lower case); null for `unknown`, so that the next source is asked. */
export function kindNamed(name: string): SpanKind | null {
  return BY_NAME.get(name) ?? null;
}
