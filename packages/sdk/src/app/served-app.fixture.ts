import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { OtlpSpan } from "@agate/spans";
import { Collector } from "../tracing/collector.fixture.ts";
import type { App, AppOptions } from "./app.ts";
import { createApp } from "./create-app.ts";
import { toNodeHandler } from "./to-node-handler.ts";

/** An app behind Node's own server, which sends its spans to a collector. */
export class ServedApp implements AsyncDisposable {
  readonly app: App;
  readonly url: string;
  readonly #collector: Collector;
  readonly #close: () => void;

  private constructor(app: App, url: string, collector: Collector, close: () => void) {
    this.app = app;
    this.url = url;
    this.#collector = collector;
    this.#close = close;
  }

  static async start(options: AppOptions = {}): Promise<ServedApp> {
    const collector = await new Collector().start();
    const app = createApp({ baseUrl: collector.url, onError: () => {}, ...options });
    const server = createServer(toNodeHandler(app)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return new ServedApp(app, `http://127.0.0.1:${port}`, collector, () => {
      server.close();
      server.closeAllConnections();
    });
  }

  /** The spans that have ended so far. */
  async spans(): Promise<readonly OtlpSpan[]> {
    await this.app.flush();
    return this.#collector.spans;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
    await this.app.shutdown();
    await this.#collector.stop();
  }
}

/** How a call came out, as its span says. */
export function outcomeOf(span: OtlpSpan): "ok" | "failed" | "cancelled" | "unset" {
  if (span.statusCode === 1) return "ok";
  if (span.statusCode === 2) return "failed";
  return span.attributes.get("ag.cancelled") === true ? "cancelled" : "unset";
}

/** What was recorded as the output of a call. */
export function outputOf(span: OtlpSpan): unknown {
  const text = span.attributes.get("ag.content.outputs");
  return text === undefined ? undefined : JSON.parse(String(text));
}
