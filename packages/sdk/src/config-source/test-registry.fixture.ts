import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ResolvedConfig } from "@agate/protocol";

type Params = ResolvedConfig["params"];

export interface RecordedRequest {
  /** With its query. */
  readonly path: string;
  readonly headers: Headers;
  status: number;
}

interface Stream {
  readonly application: string;
  send(text: string): void;
  fail(): void;
}

const PATH = /^\/registry\/applications\/([^/]+)\/(config|changes)$/;

/**
 * A registry as `docs/reference/config-resolution.md` describes it, in memory. `handle` is it without
 * a network; `listen` puts it behind a real one.
 */
export class TestRegistry {
  readonly requests: RecordedRequest[] = [];
  /** Answers instead of the registry, where it returns something. */
  interrupt: (request: Request) => Response | undefined | Promise<Response | undefined> = () =>
    undefined;
  readonly #revisions = new Map<string, ResolvedConfig[]>();
  readonly #deployed = new Map<string, ResolvedConfig>();
  readonly #streams = new Set<Stream>();
  #server: Server | undefined;
  #port = 0;

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get streams(): number {
    return this.#streams.size;
  }

  get configRequests(): RecordedRequest[] {
    return this.requests.filter(({ path }) => path.includes("/config?"));
  }

  /** Commits a revision of a variant. */
  commit(params: Params, variant = "default", application = "quickstart"): ResolvedConfig {
    const key = JSON.stringify([application, variant]);
    const revisions = this.#revisions.get(key) ?? [];
    const revision: ResolvedConfig = {
      application: { id: `id-of-${application}`, slug: application },
      variant: { id: `id-of-${variant}`, slug: variant, revision: revisions.length + 1 },
      environment: null,
      params,
    };
    this.#revisions.set(key, [...revisions, revision]);
    return revision;
  }

  /** Commits a revision, deploys it and says so. */
  deploy(
    environment: string,
    params: Params,
    variant = "default",
    application = "quickstart",
  ): void {
    const revision = this.commit(params, variant, application);
    this.#deployed.set(JSON.stringify([application, environment]), { ...revision, environment });
    this.say("event: config\ndata: {}\n\n", application);
  }

  undeploy(environment: string, application = "quickstart"): void {
    this.#deployed.delete(JSON.stringify([application, environment]));
    this.say("event: config\ndata: {}\n\n", application);
  }

  /** Sends text on the streams of changes. */
  say(text: string, application = "quickstart"): void {
    for (const stream of this.#streams) if (stream.application === application) stream.send(text);
  }

  async handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const recorded = { path: url.pathname + url.search, headers: request.headers, status: 0 };
    this.requests.push(recorded);
    const response = (await this.interrupt(request)) ?? this.#answer(url, request.headers);
    recorded.status = response.status;
    return response;
  }

  #answer(url: URL, headers: Headers): Response {
    const match = PATH.exec(url.pathname);
    if (match === null) return error(404, "route_not_found", "There is nothing at this path.");
    const application = decodeURIComponent(match[1]!);
    if (match[2] === "changes") return this.#changes(application);
    const found = this.#find(application, url.searchParams);
    if (found instanceof Response) return found;
    const body = JSON.stringify(found);
    const etag = `"${found.variant.slug}-${found.variant.revision}-${found.environment}"`;
    if (headers.get("if-none-match") === etag) {
      return new Response(null, { status: 304, headers: { etag } });
    }
    return new Response(body, { headers: { etag, "content-type": "application/json" } });
  }

  #find(application: string, query: URLSearchParams): ResolvedConfig | Response {
    const environment = query.get("environment");
    if (environment !== null) {
      const found = this.#deployed.get(JSON.stringify([application, environment]));
      return found ?? error(404, "deployment_not_found", `Nothing is deployed to ${environment}.`);
    }
    const variant = query.get("variant");
    const revisions = this.#revisions.get(JSON.stringify([application, variant])) ?? [];
    const revision = query.get("revision") ?? revisions.length;
    const found = revisions[Number(revision) - 1];
    return (
      found ?? error(404, "revision_not_found", `There is no revision ${revision} of ${variant}.`)
    );
  }

  #changes(application: string): Response {
    const encoder = new TextEncoder();
    let stream: Stream;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        stream = {
          application,
          send: (text) => controller.enqueue(encoder.encode(text)),
          fail: () => controller.error(new Error("The connection broke.")),
        };
        this.#streams.add(stream);
        stream.send(":\n\n");
      },
      cancel: () => {
        this.#streams.delete(stream);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  /** Breaks all streams of changes. */
  breakStreams(): void {
    for (const stream of this.#streams) stream.fail();
    this.#streams.clear();
  }

  /** Serves at the port it had before, if any. */
  async listen(): Promise<void> {
    const server = createServer((request, response) => void this.#serve(request, response));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, "127.0.0.1", resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Stops serving, and breaks every connection. */
  async die(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const headers = new Headers(incoming.headers as Record<string, string>);
    const request = new Request(new URL(incoming.url!, this.baseUrl), { headers });
    const response = await this.handle(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    const reader = response.body?.getReader();
    outgoing.once("close", () => void reader?.cancel().catch(() => undefined));
    for (;;) {
      const chunk = await reader?.read().catch(() => undefined);
      if (chunk === undefined || chunk.done) break;
      outgoing.write(chunk.value);
    }
    outgoing.end();
  }
}

function error(status: number, type: string, msg: string): Response {
  return Response.json({ detail: [{ loc: ["path"], msg, type }] }, { status });
}

/** Waits for something that other parts are about to do. */
export async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`It never came to ${isSo}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
