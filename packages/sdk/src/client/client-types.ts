import type { SpanRecord } from "@agate/protocol";
import type { AnyRoute, App } from "../app/app.ts";
import type { FieldValues } from "../config/base-model.ts";
import type { CallArguments, RouteTypes } from "../routes/route-types.ts";
import type { Jsonify } from "./jsonify.ts";

/** How a client reaches its app. */
export interface ClientOptions {
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A key of the platform, where the app is behind its gateway. */
  readonly apiKey?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** How one call is made. With `config` it goes to the playground endpoint, else to the deployed one. */
export type CallOptions<Config> = {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
} & (
  | {
      /** The configuration to run with: any subset, the rest takes its defaults. */
      readonly config: FieldValues<Config>;
      readonly environment?: never;
      readonly variant?: never;
    }
  | {
      readonly config?: never;
      /** The slug of the environment whose configuration to run with. */
      readonly environment?: string | undefined;
      readonly variant?: never;
    }
  | {
      readonly config?: never;
      readonly environment?: never;
      /** A variant's latest revision, or a given one. */
      readonly variant?: { readonly slug: string; readonly revision?: number } | undefined;
    }
);

/** What a call answers, ids included. */
export interface CallAnswer<Data> {
  readonly data: Data;
  readonly traceId: string;
  readonly spanId: string;
  /** The call's own tree of span records, on playground calls. */
  readonly trace: SpanRecord | null;
}

/** A call under way: await it for the data, or for everything the answer has. */
export interface PendingCall<Data> extends Promise<Data> {
  readonly answer: Promise<CallAnswer<Data>>;
}

/** A call of a route that streams: iterate over its chunks, or await them all. */
export interface StreamingCall<Chunk> extends AsyncIterable<Chunk>, PromiseLike<Collected<Chunk>> {
  readonly answer: Promise<CallAnswer<Collected<Chunk>>>;
}

/** Chunks that are all texts are one text; others are a list. */
type Collected<Chunk> = [Chunk] extends [string]
  ? string
  : unknown extends Chunk
    ? string | Chunk[]
    : [Extract<Chunk, string>] extends [never]
      ? Chunk[]
      : string | Chunk[];

/** What a client gets of a function's result: its JSON, or a stream of it. */
type Result<Returned> = ResultOf<Awaited<Returned>>;

type ResultOf<Value> = unknown extends Value
  ? PendingCall<Value>
  : [Value] extends [AnyStream]
    ? [Value] extends [never]
      ? PendingCall<never>
      : StreamingCall<ChunkOf<Value>>
    : [Extract<Value, AnyStream>] extends [never]
      ? PendingCall<Jsonify<Value>>
      : PendingCall<Jsonify<Exclude<Value, AnyStream>>> | StreamingCall<ChunkOf<Value>>;

type AnyStream = AsyncIterable<unknown> | IterableIterator<unknown>;

type ChunkOf<Stream> = Jsonify<
  Stream extends AsyncIterable<infer Chunk> | IterableIterator<infer Chunk> ? Chunk : never
>;

/** One route, as a function. */
export type ClientMethod<Types> =
  Types extends RouteTypes<string, infer Config, infer Sent, infer Returned>
    ? (...args: CallArguments<Sent, CallOptions<Config>>) => Result<Returned>
    : never;

/** The routes of an app's type, of a module's exports, or of an object that holds some. */
export type RoutesOf<Source> = Source extends { readonly "~routes"?: infer Routes }
  ? Routes
  : Extract<Source[keyof Source], AnyRoute>;

type TypesOf<Routes> = Routes extends { readonly "~types"?: infer Types }
  ? Exclude<Types, undefined>
  : never;

type UnionToIntersection<Union> = (Union extends unknown ? (value: Union) => void : never) extends (
  value: infer Intersection,
) => void
  ? Intersection
  : never;

/** `/docs/search` is `client.docs.search`; the entrypoint is the client itself. */
type AtPath<Path extends string, Method> = Path extends "" | "/"
  ? Method
  : Path extends `/${infer First}/${infer Rest}`
    ? { readonly [Key in First]: AtPath<`/${Rest}`, Method> }
    : Path extends `/${infer Last}`
      ? { readonly [Key in Last]: Method }
      : never;

type Placed<Types> =
  Types extends RouteTypes<infer Path, infer _C, infer _S, infer _R>
    ? AtPath<Path, ClientMethod<Types>>
    : never;

/** The client of an app. */
export type Client<Source> = UnionToIntersection<Placed<TypesOf<RoutesOf<Source>>>>;

/** A call of a route that may or may not stream. */
export interface UntypedCall extends PendingCall<unknown>, AsyncIterable<unknown> {}

/** A client of an app whose type is not at hand. */
export interface UntypedClient {
  (input?: unknown, options?: CallOptions<Record<string, unknown>>): UntypedCall;
  readonly [route: string]: UntypedClient;
}

/** What `createClient` can be typed by. */
export type ClientSource = App | object;
