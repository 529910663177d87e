import type { ConfigReference } from "./config-source.ts";

/** Where a registry is, and what is sent along to it. */
export interface RegistryAddress {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly hasKey: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Null where no URL can name the application. */
  config(reference: ConfigReference): string | null;
  changes(application: string): string | null;
}

/**
 * Checks the platform's address and key.
 *
 * @throws TypeError that says what to write. It never repeats a key or a password.
 */
export function registryAddress(baseUrl: string, apiKey: string | undefined): RegistryAddress {
  const base = checkedBase(baseUrl);
  const key = checkedKey(apiKey);

  const resource = (application: string, name: string): string | null =>
    // As a path segment dots go up, however they are encoded; half a character cannot be encoded.
    /^\.{0,2}$/.test(application) || !application.isWellFormed()
      ? null
      : `${base}/registry/applications/${encodeURIComponent(application)}/${name}`;

  return {
    baseUrl: base,
    hasKey: key !== undefined,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    config(reference) {
      const resourceUrl = resource(reference.application, "config");
      return resourceUrl === null ? null : `${resourceUrl}?${queryOf(reference)}`;
    },
    changes: (application) => resource(application, "changes"),
  };
}

function queryOf(reference: ConfigReference): string {
  if (reference.by === "environment") {
    return new URLSearchParams({ environment: reference.environment }).toString();
  }
  const query = new URLSearchParams({ variant: reference.variant });
  if (reference.revision !== null) query.set("revision", String(reference.revision));
  return query.toString();
}

function checkedBase(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) {
    throw new TypeError(
      `${baseUrl.includes("@") ? "That" : JSON.stringify(baseUrl)} is not the URL of a platform. Set AGATE_BASE_URL to one such as http://127.0.0.1:4100.`,
    );
  }
  const url = new URL(baseUrl);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(
      `The platform's URL begins with http:// or https://, not ${url.protocol} Check AGATE_BASE_URL.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError(
      "The platform's URL may not have a user name or a password in it: set AGATE_API_KEY, and take them out of AGATE_BASE_URL.",
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function checkedKey(apiKey: string | undefined): string | undefined {
  const key = apiKey?.trim();
  if (key === undefined || key === "") return undefined;
  // Otherwise the error that `fetch` throws on every request would show it.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new TypeError(
      "The API key has characters that a header cannot hold: check AGATE_API_KEY.",
    );
  }
  return key;
}
