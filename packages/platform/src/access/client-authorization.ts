import { beginsLikeApiKey } from "./api-key-text.ts";

/** Where clients send their key: `Authorization`, LangSmith's header, Phoenix's header. */
export interface ClientHeaders {
  readonly authorization?: string | undefined;
  readonly "x-api-key"?: string | string[] | undefined;
  readonly api_key?: string | string[] | undefined;
}

export interface ClientAuthorization {
  /** As an `Authorization` header; undefined where the client sends no credentials. */
  readonly authorization: string | undefined;
  /** Whether the client sends credentials, and none of them is meant to be an Agate key. */
  readonly isForeign: boolean;
}

const NONE: ClientAuthorization = { authorization: undefined, isForeign: false };

/**
 * The key in a request of a client that was written for another product: `Bearer KEY`, `ApiKey KEY`
 * (Agenta), `Basic` with the key as the password (Langfuse), the key alone (Logfire), `x-api-key`
 * (LangSmith) or `api_key` (Phoenix). Of several, the first that begins like an Agate key.
 *
 * @example clientAuthorization({ "x-api-key": "ag_4fT9xQ2b_9hYc…" })
 */
export function clientAuthorization(headers: ClientHeaders): ClientAuthorization {
  const { authorization, "x-api-key": apiKey, api_key: phoenixKey } = headers;
  const given = [authorization === undefined ? undefined : keyIn(authorization), apiKey, phoenixKey]
    // Only `Set-Cookie` ever is a list.
    .filter((text) => typeof text === "string");
  if (given.length === 0) return NONE;
  const own = given.find(beginsLikeApiKey);
  if (own === undefined) return { authorization: authorization ?? "", isForeign: true };
  return { authorization: `Bearer ${own}`, isForeign: false };
}

const WITH_SCHEME = /^(?:(bearer|apikey|basic) +)?(.*)$/i;

function keyIn(authorization: string): string {
  const [, scheme = "", text = ""] = WITH_SCHEME.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== "basic") return text;
  const pair = Buffer.from(text, "base64").toString();
  return pair.slice(pair.indexOf(":") + 1);
}
