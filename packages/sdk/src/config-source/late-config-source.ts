import type { ConfigReference, ConfigResolution, ConfigSource } from "./config-source.ts";

/**
 * Keeps the code of a source out of what a worker loads at its start. Loading begins with the source, while
 * the first request's body is read.
 */
export class LateConfigSource implements ConfigSource {
  readonly #loadFactory: () => Promise<() => ConfigSource>;
  #isLive = false;
  #source: ConfigSource | undefined;

  /** @param loadFactory Imports the code; what it resolves to is called once. */
  constructor(loadFactory: () => Promise<() => ConfigSource>) {
    this.#loadFactory = loadFactory;
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
    this.#isLive = true;
    this.#source?.startLiveUpdates?.();
  }

  async close(): Promise<void> {
    const source = await this.#load();
    await source.close();
  }

  // On Cloudflare Workers a promise ends with its request, so each request awaits an import of its own.
  async #load(): Promise<ConfigSource> {
    const make = await this.#loadFactory();
    if (this.#source === undefined) {
      this.#source = make();
      if (this.#isLive) this.#source.startLiveUpdates?.();
    }
    return this.#source;
  }
}
