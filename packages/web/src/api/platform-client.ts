import { type Query, queryText, readErrorResponse, requestInit } from "@agate/protocol/client";
import { ApiError, UnreachableError } from "./api-error.ts";
import type { Connection } from "./connection.ts";

export type { Query };

export interface RequestOptions {
  readonly query?: Query;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends the page's requests to the platform that serves it. */
export class PlatformClient {
  readonly #connection: Connection;
  readonly #onUnknown: () => void;
  /** The project that an operator has selected; null leaves it to the platform. */
  readonly project: string | null;

  /** @param onUnknown Called when the platform does not know the caller: signed out, or the key was revoked. */
  constructor(connection: Connection, project: string | null, onUnknown: () => void = () => {}) {
    this.#connection = connection;
    this.#onUnknown = onUnknown;
    this.project = project;
  }

  /** @example client.get<Page<Application>>("/registry/applications") */
  async get<T>(path: string, options: RequestOptions = {}): Promise<T> {
    return (await this.open("GET", path, undefined, options)).json() as Promise<T>;
  }

  /** Sends JSON. The answer of a request that has none (204) is undefined. */
  async send<T>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
    options: RequestOptions = {},
  ): Promise<T> {
    const response = await this.open(method, path, body, options);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }

  /**
   * The response as it arrives, for streams.
   *
   * @throws ApiError for every status from 400 up; UnreachableError where no answer comes.
   */
  async open(
    method: string,
    path: string,
    body: unknown,
    { query = {}, signal, headers = {} }: RequestOptions = {},
  ): Promise<Response> {
    const request = requestInit({ method, body, project: this.project, headers });
    const address = `${path}${queryText(withoutEmpty(query))}`;
    const response = await this.#fetch(address, { ...request, signal: signal ?? null });
    if (response.ok) return response;
    if (response.status === 401) this.#onUnknown();
    const { status, ...error } = await readErrorResponse(response).catch((thrown: unknown) =>
      this.#connectionLost(thrown, signal),
    );
    throw new ApiError(status, error.body ?? null, error.retryAfterMs);
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    try {
      const response = await fetch(url, init);
      this.#connection.reportAnswer();
      return response;
    } catch (error) {
      return this.#connectionLost(error, init.signal);
    }
  }

  #connectionLost(error: unknown, signal: AbortSignal | null | undefined): never {
    if (signal?.aborted) throw error;
    this.#connection.reportUnreachable();
    throw new UnreachableError("Can't reach Agate.", { cause: error });
  }
}

/** A field that was left empty is no filter. */
function withoutEmpty(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
}
