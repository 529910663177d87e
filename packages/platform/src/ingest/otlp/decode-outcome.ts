import type { OtlpSpan } from "@agate/spans";

/** The spans of one request that can be kept, and why the others cannot. */
export interface OtlpRequest {
  readonly spans: readonly OtlpSpan[];
  readonly rejected: number;
  /** One sentence about the first rejected spans; empty when none was. */
  readonly rejectedReason: string;
  /** Of each span in the bytes; there where they were asked for and the encoding has them. */
  readonly places?: readonly SpanPlace[];
}

/** Where a span lies in the bytes of its request. */
export interface SpanPlace {
  readonly start: number;
  readonly end: number;
  /** Whether it has a number of 13 digits or more, which bytes do not show. */
  readonly hasLongNumbers: boolean;
}

export type DecodeOutcome =
  | { readonly kind: "decoded"; readonly request: OtlpRequest }
  /** The bytes are not an ExportTraceServiceRequest; the sentence says where they stop being one. */
  | { readonly kind: "undecodable"; readonly reason: string }
  | OversizedOutcome;

/** Nothing of the request is kept: what it would become in memory is over a limit. */
export interface OversizedOutcome {
  readonly kind: "too-many-spans" | "too-complex";
  /** One or two sentences: what there is too much of, and what to do. */
  readonly reason: string;
}
