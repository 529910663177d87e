import type { ConfigSource } from "./config-source.ts";
import { LateConfigSource } from "./late-config-source.ts";
import type { HttpConfigSourceOptions } from "./registry-config-source.ts";

/**
 * Asks a platform's registry: see `docs/reference/config-resolution.md`. The first answer to a
 * reference comes from the network, all others from memory: a stream of changes, or else a check in
 * the background, keeps them current. While the registry is away it is the last known answer.
 *
 * @example
 * const source = httpConfigSource({ baseUrl: "http://127.0.0.1:4100" });
 * await source.resolve({ by: "environment", application: "support", environment: "staging" });
 * @throws TypeError for a base URL or a key that cannot be one.
 */
export function httpConfigSource(options: HttpConfigSourceOptions): ConfigSource {
  // Throws here, and not with the first request.
  const checked = checkedOptions(options);
  return new LateConfigSource(async () => {
    const { registryConfigSource } = await import("./registry-config-source.ts");
    return () => registryConfigSource(checked);
  });
}

/**
 * The options with a base URL without a slash at its end, and a key that a header can hold.
 *
 * @throws TypeError that says what to write. It never repeats a key or a password.
 */
export function checkedOptions(options: HttpConfigSourceOptions): HttpConfigSourceOptions {
  const { baseUrl, apiKey } = options;
  return { ...options, baseUrl: checkedBase(baseUrl), apiKey: checkedKey(apiKey) };
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
