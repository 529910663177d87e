import type { ConfigReference, ConfigResolution, ConfigSource } from "./config-source.ts";
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
  return new LazyHttpConfigSource(options);
}

/**
 * Keeps the registry source out of what a worker loads at its start. Loading begins with the source, while
 * the first request's body is read.
 */
class LazyHttpConfigSource implements ConfigSource {
  readonly #options: HttpConfigSourceOptions;
  #liveUpdates: boolean;
  #source: ConfigSource | undefined;

  constructor(options: HttpConfigSourceOptions) {
    this.#options = options;
    this.#liveUpdates = options.liveUpdates ?? false;
    // `resolve` reports a failure.
    this.#load().catch(() => {});
  }

  resolve(reference: ConfigReference): ConfigResolution | Promise<ConfigResolution> {
    const source = this.#source;
    return source === undefined
      ? this.#load().then((loaded) => loaded.resolve(reference))
      : source.resolve(reference);
  }

  startLiveUpdates(): void {
    this.#liveUpdates = true;
    this.#source?.startLiveUpdates?.();
  }

  async close(): Promise<void> {
    const source = await this.#load();
    await source.close();
  }

  // On Cloudflare Workers a promise ends with its request, so each request awaits an import of its own.
  async #load(): Promise<ConfigSource> {
    const { registryConfigSource } = await import("./registry-config-source.ts");
    this.#source ??= registryConfigSource({ ...this.#options, liveUpdates: this.#liveUpdates });
    return this.#source;
  }
}
