import type { SpanRecord } from "@agate/protocol";
import type { AnyRoute } from "../app/app.ts";
import type { ClientMethod } from "../client/client-types.ts";
import type { RouteTypes } from "../routes/route-types.ts";
import type { ScorerReturn } from "./scorer-result.ts";

type TypesOf<R> = R extends { readonly "~types"?: infer Types } ? Exclude<Types, undefined> : never;

/** What a case of a route sends: its inputs before the route's schema has read them. */
export type InputsOf<R extends AnyRoute> =
  TypesOf<R> extends RouteTypes<string, infer _Config, infer Sent, infer _Result> ? Sent : unknown;

/** What a route answers, as JSON carries it. Of a route that streams, all chunks together. */
export type OutputOf<R extends AnyRoute> =
  ClientMethod<TypesOf<R>> extends (...args: never) => infer Answer ? Awaited<Answer> : unknown;

/**
 * What a scorer is given: one output of a route, and the case that it answers.
 *
 * @example
 * const short = ({ output }: Judged<typeof answer>) => output.text.length < 200;
 */
export interface Judged<R extends AnyRoute = AnyRoute, Expected = unknown> {
  readonly inputs: InputsOf<R>;
  readonly output: OutputOf<R>;
  /** The case's expectation, checked by the evaluation's schema. */
  readonly expected: Expected;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The case's id in its test set. */
  readonly case: string;
  /** From 0. */
  readonly trial: number;
  /** The call's tree of spans. Rejects where it is not complete, which makes the score `failed`. */
  trace(): Promise<SpanRecord>;
}

/** What a scorer is given beside what it judges. */
export interface ScorerCall {
  /** Aborted when the scorer's time is up or the run is stopped. */
  readonly signal: AbortSignal;
}

/** A function that judges one output. It may look at any part of what it is given. */
export type Scorer<R extends AnyRoute = AnyRoute, Expected = unknown> = (
  judged: Judged<R, Expected>,
  call: ScorerCall,
) => ScorerReturn | Promise<ScorerReturn>;
