import type { ConfigSource } from "./config-source.ts";
import { LateConfigSource } from "./late-config-source.ts";
import { registryAddress } from "./registry-address.ts";
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
  registryAddress(options.baseUrl, options.apiKey);
  return new LateConfigSource(async () => {
    const { registryConfigSource } = await import("./registry-config-source.ts");
    return () => registryConfigSource(options);
  });
}
