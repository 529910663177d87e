import type { IncomingMessage, ServerResponse } from "node:http";
import type { Access, Caller } from "../../access/caller.ts";
import { QueryAbandonedError } from "../../stores/query-lane.ts";
import type { Answer } from "../answer.ts";
import type { ErrorType } from "../errors/error-types.ts";
import type { QueryParameters } from "../query/query-parameter.ts";
import type { Sender } from "../session/sender.ts";

/** A request to a route. */
export interface RouteRequest {
  readonly incoming: IncomingMessage & Sender;
  readonly outgoing: ServerResponse;
  /** The parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** As it was sent, without the `?`. */
  readonly query: string;
  /** There for every route that is not public: see {@link callerOf}. */
  readonly caller?: Caller;
}

/** A thing the platform serves: how it is reached, what it means, what it answers. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As in OpenAPI, `{name}` for a parameter. Served with and without a slash at its end. */
  readonly path: string;
  /** Other paths with the same answer, which the reference does not list; `/*` for all below. */
  readonly alsoAt?: readonly string[];
  /** Who may call it: checked before `handle` runs. */
  readonly access: Access;
  readonly operation: Operation;
  readonly handle: (request: RouteRequest) => Answer | Promise<Answer>;
}

/** What the OpenAPI document says about a route. */
export interface Operation {
  readonly id: string;
  readonly tag: "observability" | "ingest" | "registry" | "deployments" | "access" | "platform";
  readonly summary: string;
  readonly description?: string;
  readonly pathParameters?: Readonly<Record<string, PathParameterDoc>>;
  readonly query?: QueryParameters;
  readonly requestBody?: BodyDoc;
  /** Whether the body may be left out. */
  readonly bodyIsOptional?: boolean;
  readonly success: SuccessDoc;
  /** Other answers that are no errors, under other statuses: a 304, or the same as a stream. */
  readonly otherwise?: readonly SuccessDoc[];
  /** The errors peculiar to this route; those that any route may answer are added. */
  readonly errors: readonly ErrorType[];
}

export interface SuccessDoc {
  readonly status: number;
  readonly description: string;
  readonly body?: BodyDoc;
  /** Header name → description. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PathParameterDoc {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Content type → schema: the name of a component, or JSON Schema. */
export type BodyDoc = Readonly<Record<string, BodyContentDoc>>;

export interface BodyContentDoc {
  readonly schema: string | Readonly<Record<string, unknown>>;
}

/** Who is calling; only for routes that are not public. */
export function callerOf({ caller }: RouteRequest): Caller {
  if (caller === undefined) throw new Error("A public route has no caller");
  return caller;
}

/** Fires when the client has gone, or was answered. */
export function goneSignal({ outgoing }: RouteRequest): AbortSignal {
  const reason = new QueryAbandonedError("The client has gone");
  if (outgoing.destroyed) return AbortSignal.abort(reason);
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort(reason));
  return gone.signal;
}
