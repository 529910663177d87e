import type { SpanKind } from "@agate/protocol";
import type { Attributes } from "../otlp-span.ts";
import type { NumberField, TextField } from "./claim.ts";
import type { ContentDraft } from "./content-draft.ts";

/** One vocabulary of attributes, and how it is read. Names are listed best first. */
export interface Dialect {
  readonly name: string;
  readonly text?: Partial<Readonly<Record<TextField, readonly string[]>>>;
  readonly numbers?: Partial<Readonly<Record<NumberField, readonly string[]>>>;
  /** The attribute that names the span's kind; `kindOf` gets its value in lower case. */
  readonly kind?: { readonly name: string; kindOf(value: string): SpanKind | null };
  /** Parameters of a model call: the attribute's name and the one it has in `config`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Every attribute below this prefix is a parameter, named by the rest. */
  readonly parameterPrefixes?: readonly string[];
  /** Attributes that hold all the parameters of a model call as one JSON object. */
  readonly parameterObjects?: readonly string[];
  /** Attributes that `content` reads. */
  readonly contentNames?: readonly string[];
  /** Prefixes of indexed attributes that `content` reads: `gen_ai.prompt` for `gen_ai.prompt.0.role`. */
  readonly groups?: readonly string[];
  /** Fills what is still empty in the draft. Called for spans that have one of the above. */
  content?(attributes: Attributes, draft: ContentDraft): void;
  /** Attributes that `figures` reads. */
  readonly figureNames?: readonly string[];
  figures?(attributes: Attributes): DialectFigures;
}

/** Tokens and cost out of JSON attributes, and which of those hold nothing else. */
export interface DialectFigures {
  readonly numbers: Partial<Readonly<Record<NumberField, number>>>;
  readonly fullyRead: readonly string[];
}
