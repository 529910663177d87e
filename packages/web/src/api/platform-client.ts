import { ApiError, UnreachableError } from "./api-error.ts";
import type { Connection } from "./connection.ts";

/** The query of a request; what is undefined or null is left out. */
export type Query = Readonly<Record<string, string | number | null | undefined>>;

export interface RequestOptions {
  readonly query?: Query;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends the page's requests to the platform that serves it. */
export class PlatformClient {
  readonly #connection: Connection;
  readonly #onUnknown: () => void;
  /** The project that an operator has chosen; null leaves it to the platform. */
  readonly project: string | null;

  /** @param onUnknown Called when the platform does not know the reader: signed out, or revoked. */
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
   * The answer as it comes, for streams.
   *
   * @throws ApiError for every status from 400 up; UnreachableError where no answer comes.
   */
  async open(
    method: string,
    path: string,
    body: unknown,
    { query = {}, signal, headers = {} }: RequestOptions = {},
  ): Promise<Response> {
    const response = await this.#fetch(`${path}${queryText(query)}`, {
      method,
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(this.project !== null && { "agate-project": this.project }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ?? null,
    });
    if (response.ok) return response;
    if (response.status === 401) this.#onUnknown();
    throw new ApiError(
      response.status,
      await response.json().catch(() => null),
      retryAfterMs(response),
    );
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    try {
      const response = await fetch(url, init);
      this.#connection.reportAnswer();
      return response;
    } catch (error) {
      if (init.signal?.aborted) throw error;
      this.#connection.reportUnreachable();
      throw new UnreachableError("The platform does not answer.", { cause: error });
    }
  }
}

/** The platform says it in whole seconds. */
function retryAfterMs({ headers }: Response): number | null {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : null;
}

function queryText(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === "" ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}
