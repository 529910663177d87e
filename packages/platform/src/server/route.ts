import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod/mini";
import type { Access, Caller } from "../access/caller.ts";
import { QueryAbandonedError } from "../stores/query-lane.ts";
import type { Clients, Sender } from "./admit.ts";
import type { Answer, AnswerHeaders, FullAnswer } from "./answer.ts";
import { JSON_TYPE, jsonAnswer, type Problem, problemAnswer, problemsAnswer } from "./answer.ts";
import type { ErrorType } from "./errors/error-types.ts";
import { bodyProblems, parameterProblems } from "./inputs/input-problems.ts";
import { readJsonBody } from "./inputs/json-body.ts";
import type { ComponentName, ComponentValue } from "./openapi/components.ts";

/** A thing the platform serves: how it is reached, what it means, what it takes and answers. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As in OpenAPI, `{name}` for a parameter. Served with and without a slash at its end. */
  readonly path: string;
  /** Other paths with the same answer, which the reference does not list; `/*` for all below. */
  readonly alsoAt?: readonly string[] | undefined;
  /** Who may call it: checked before anything else of it is read. */
  readonly access: Access;
  readonly limitedKeys: LimitedKeys;
  readonly clients: Clients;
  readonly operation: Operation;
  readonly handle: (request: RouteRequest) => Answer | Promise<Answer>;
}

/**
 * What keys that are limited to environments may do on a route. `allowed`: the same as others.
 * `checked`: what concerns their environments; the route asks. `refused`: nothing.
 */
export type LimitedKeys = "allowed" | "checked" | "refused";

/** A request to a route, before its inputs are checked. */
export interface RouteRequest {
  readonly incoming: IncomingMessage & Sender;
  readonly outgoing: ServerResponse;
  /** The parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** As it was sent, without the `?`. */
  readonly query: string;
  /** There for every route that is not public. */
  readonly caller?: Caller;
}

/** What the OpenAPI document says about a route. */
export interface Operation {
  readonly id: string;
  readonly tag:
    | "observability"
    | "ingest"
    | "registry"
    | "testsets"
    | "evaluations"
    | "deployments"
    | "access"
    | "platform";
  readonly summary: string;
  readonly description?: string | undefined;
  readonly params?: Declared<ParameterSchemas> | undefined;
  readonly query?: Declared<ParameterSchemas> | undefined;
  /** Whether an empty value of the query is checked like any other. */
  readonly checksEmpty?: boolean | undefined;
  readonly body?: Declared<z.ZodMiniType> | undefined;
  /** The body of a request that the route reads from the socket: content type → schema. */
  readonly requestBody?: BodyDoc | undefined;
  readonly success: SuccessDoc;
  /** Other answers that are no errors, under other statuses: a 304, or the same as a stream. */
  readonly otherwise?: readonly SuccessDoc[] | undefined;
  /** The errors peculiar to this route; those that any route may answer are added. */
  readonly errors: readonly ErrorType[];
}

/**
 * A schema that is made when it is first needed: those of all routes would cost every start 10 ms and
 * 3 MB, and most servers are asked for a few routes only.
 */
export type Declared<Schema> = () => Schema;

/** A query, or the parameters of a path, by their names. */
type ParameterSchemas = z.ZodMiniObject;

export interface SuccessDoc {
  readonly status: number;
  readonly description: string;
  readonly body?: BodyDoc;
  /** Header name → description. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Content type → the name of a component, or JSON Schema. */
export type BodyDoc = Readonly<Record<string, ComponentName | Readonly<Record<string, unknown>>>>;

/** What a route declares, and how it answers a request that fits. */
export interface RouteSpec<
  Asks extends Access,
  Path extends ParameterSchemas,
  Query extends ParameterSchemas,
  Body extends z.ZodMiniType,
  Success extends SuccessDoc,
> extends Omit<Operation, "params" | "query" | "body" | "success"> {
  readonly method: Route["method"];
  readonly path: string;
  readonly alsoAt?: readonly string[];
  readonly access: Asks;
  /** Without it: refused if it needs `admin`, `deploy` or `backup` and changes anything. */
  readonly limitedKeys?: LimitedKeys;
  /** `own` by default. */
  readonly clients?: Clients;
  readonly params?: Declared<Path>;
  /**
   * An empty value counts as absent, of a repeated parameter the last counts, and parameters that are
   * not declared are ignored.
   */
  readonly query?: Declared<Query>;
  /** JSON. No body is one without fields. */
  readonly body?: Declared<Body>;
  readonly maxBodyBytes?: number | ((caller: Caller) => number);
  readonly success: Success;
  /** Refuses a request before any of its inputs is read. */
  readonly guard?: (incoming: IncomingMessage & Sender) => Problem | undefined;
  readonly answer: (
    request: CheckedRequest<Asks, z.output<Path>, z.output<Query>, z.output<Body>>,
    reply: Reply<Success>,
  ) => Answer | Promise<Answer>;
}

/** A request whose inputs are what the route declares. */
export interface CheckedRequest<Asks extends Access, Path, Query, Body> {
  readonly incoming: IncomingMessage & Sender;
  readonly caller: Asks extends "public" ? undefined : Caller;
  readonly params: Path;
  readonly query: Query;
  readonly body: Body;
  /** Makes a signal that fires when the client has gone, or was answered. */
  readonly gone: () => AbortSignal;
}

/** Makes the answer that a route declares as its success. */
export type Reply<Success> = Success extends {
  readonly component: infer Name extends ComponentName;
}
  ? (value: ComponentValue<Name>, headers?: AnswerHeaders) => FullAnswer
  : (headers?: AnswerHeaders) => FullAnswer;

/** What a route without parameters, or without a body, declares. */
export type NoParameters = z.ZodMiniObject<Record<never, never>>;
export type WithoutBody = z.ZodMiniUndefined;

/** Of a JSON body, where the route does not say: far more than names and scopes take. */
const MOST_BODY_BYTES = 64 * 1024;

/** Declares a route. Types, checks and the OpenAPI document all come from the declaration. */
export function route<
  const Asks extends Access,
  Success extends SuccessDoc,
  Path extends ParameterSchemas = NoParameters,
  Query extends ParameterSchemas = NoParameters,
  Body extends z.ZodMiniType = WithoutBody,
>(spec: RouteSpec<Asks, Path, Query, Body, Success>): Route {
  const { method, path, alsoAt, access, maxBodyBytes, guard, answer, ...operation } = spec;
  const { clients = "own" } = spec;
  const limitedKeys = spec.limitedKeys ?? (isWide(access, method) ? "refused" : "allowed");
  const params = once(spec.params);
  const query = once(spec.query);
  const body = once(spec.body);
  const reply = replyOf(spec.success) as Reply<Success>;

  /** Without a promise where there is no body to wait for. */
  function handle(request: RouteRequest): Answer | Promise<Answer> {
    const { incoming, outgoing, caller } = request;
    const refused = guard?.(incoming);
    if (refused !== undefined) return problemAnswer(refused);
    const problems: Problem[] = [];
    const inPath = params && readParameters("path", params(), request.params, problems);
    const given = query && queryValues(query(), request.query, operation.checksEmpty === true);
    const inQuery = query && given && readParameters("query", query(), given, problems);
    const [first, ...others] = problems;
    if (first !== undefined) return problemsAnswer([first, ...others]);
    const checked = {
      incoming,
      caller,
      params: inPath,
      query: inQuery,
      gone: () => gone(outgoing),
    };
    const answered = (content: unknown) =>
      // The parts have the types that the declaration gives them.
      answer({ ...checked, body: content } as Parameters<typeof answer>[0], reply);
    if (body === undefined) return answered(undefined);
    const most =
      typeof maxBodyBytes === "function" && caller !== undefined
        ? maxBodyBytes(caller)
        : (maxBodyBytes as number | undefined);
    return readBodyInput(incoming, body(), most ?? MOST_BODY_BYTES).then((content) =>
      content.kind === "problems" ? problemsAnswer(content.problems) : answered(content.value),
    );
  }

  return {
    method,
    path,
    alsoAt,
    access,
    limitedKeys,
    clients,
    operation: { ...operation, params, query, body },
    handle,
  };
}

function isWide(access: Access, method: Route["method"]): boolean {
  const scopes: readonly string[] = typeof access === "string" ? [access] : access;
  return method !== "GET" && ["admin", "deploy", "backup"].some((wide) => scopes.includes(wide));
}

function readParameters(
  where: "path" | "query",
  schema: ParameterSchemas,
  given: Readonly<Record<string, string>>,
  problems: Problem[],
): unknown {
  const outcome = z.safeParse(schema, given);
  if (outcome.success) return outcome.data;
  problems.push(...parameterProblems(where, schema, outcome.error.issues, given));
  return undefined;
}

function queryValues(
  { shape }: ParameterSchemas,
  query: string,
  keepsEmpty: boolean,
): Record<string, string> {
  const values: Record<string, string> = {};
  if (query === "") return values;
  const given = new URLSearchParams(query);
  for (const name in shape) {
    const text = given.getAll(name).at(-1);
    if (text !== undefined && (keepsEmpty || text !== "")) values[name] = text;
  }
  return values;
}

type BodyInput =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "problems"; readonly problems: readonly [Problem, ...Problem[]] };

async function readBodyInput(
  incoming: IncomingMessage,
  schema: z.ZodMiniType,
  limit: number,
): Promise<BodyInput> {
  const body = await readJsonBody(incoming, limit);
  if (body.kind === "problem") return { kind: "problems", problems: [body.problem] };
  const isObject = schema instanceof z.ZodMiniObject;
  const given = body.kind === "json" ? body.value : isObject ? {} : undefined;
  const outcome = z.safeParse(schema, given);
  if (outcome.success) return { kind: "value", value: outcome.data };
  const [first, ...others] = bodyProblems(schema, outcome.error.issues, given);
  if (first === undefined) throw outcome.error;
  return { kind: "problems", problems: [first, ...others] };
}

function once<Schema>(make: Declared<Schema> | undefined): Declared<Schema> | undefined {
  if (make === undefined) return undefined;
  let made: Schema | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function gone(outgoing: ServerResponse): AbortSignal {
  const reason = () => new QueryAbandonedError("The client has gone");
  if (outgoing.destroyed) return AbortSignal.abort(reason());
  const controller = new AbortController();
  outgoing.once("close", () => {
    // An answer that was sent whole has nothing left to stop, and an error takes long to make.
    if (!outgoing.writableFinished) controller.abort(reason());
  });
  return controller.signal;
}

function replyOf({ status, body }: SuccessDoc) {
  const withHeaders = (headers: AnswerHeaders | undefined) => headers && { headers };
  return body === undefined
    ? (headers?: AnswerHeaders): FullAnswer => ({
        kind: "full",
        status,
        contentType: null,
        body: "",
        ...withHeaders(headers),
      })
    : (value: unknown, headers?: AnswerHeaders): FullAnswer => ({
        ...jsonAnswer(JSON.stringify(value)),
        status,
        ...withHeaders(headers),
      });
}

/** A success that is JSON, of one of the components of the OpenAPI document. */
export interface JsonSuccess<Name extends ComponentName> extends SuccessDoc {
  readonly component: Name;
}

/** 200 with JSON. */
export function success<Name extends ComponentName>(
  component: Name,
  description: string,
  headers?: Readonly<Record<string, string>>,
): JsonSuccess<Name> {
  const body = { [JSON_TYPE]: component };
  return { status: 200, component, description, body, ...(headers && { headers }) };
}

/** 201 with JSON, and where it is found. */
export function created<Name extends ComponentName>(
  component: Name,
  description: string,
): JsonSuccess<Name> {
  return { ...success(component, description, { location: "Where it is found." }), status: 201 };
}

/** 204. */
export function noContent(description: string, headers?: Readonly<Record<string, string>>) {
  return { status: 204, description, ...(headers && { headers }) } as const;
}

/** 200 with text or bytes of another type than JSON. */
export function content(type: string, description: string, schema: object = { type: "string" }) {
  return { status: 200, description, body: { [type]: schema as Record<string, unknown> } } as const;
}
