import { DEFAULT_PROJECT_ID } from "@agate/protocol";
import { operatorAccess } from "./access/operator-access.ts";
import { startIngestThread } from "./ingest/ingest-thread.ts";
import { hostPolicyFor } from "./server/host-guard.ts";
import { createHttpApp } from "./server/http-app.ts";
import type { HttpServer, ListenOutcome } from "./server/http-server.ts";
import { startHttpServer } from "./server/http-server.ts";
import type { LogOptions } from "./server/log/open-log.ts";
import { openLog } from "./server/log/open-log.ts";
import { DataDirectoryError } from "./stores/sqlite/data-directory.ts";
import { openSqliteStore } from "./stores/sqlite/sqlite-store.ts";
import { startRetention } from "./stores/start-retention.ts";
import { VERSION } from "./version.ts";

export interface PlatformOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly dataDirectory: string;
  /** Milliseconds that a trace is kept; null keeps everything. */
  readonly retentionMs: number | null;
  /** A JSON file whose prices come before the shipped ones. */
  readonly pricesFile: string | null;
  readonly log: LogOptions;
  readonly limits: PlatformLimits;
}

/** All in bytes. */
export interface PlatformLimits {
  /** Of a request's body as it is sent. */
  readonly body: number;
  /** Of the same when it is unpacked. */
  readonly decompressedBody: number;
  /** Of all requests that wait to be written; beyond it clients are told to slow down. */
  readonly waiting: number;
}

export interface Platform {
  readonly url: string;
  /** Resolves with the reason if the platform cannot go on. */
  readonly failed: Promise<Error>;
  /** Stops accepting, finishes and commits what it has. */
  close(): Promise<void>;
}

export type StartOutcome =
  | { readonly kind: "running"; readonly platform: Platform }
  /** One sentence for the person who started it. Nothing was changed. */
  | { readonly kind: "refused"; readonly reason: string };

/** The composition root: every part of the platform is made here, and taken down in reverse. */
export async function startPlatform(options: PlatformOptions): Promise<StartOutcome> {
  const { host, port, limits } = options;
  if (hostPolicyFor(host) !== "loopback") {
    return refused(
      `Agate will not listen on ${host} without API keys, which this version does not have yet. Use a loopback address (--host 127.0.0.1) and put a proxy that authenticates in front of it.`,
    );
  }
  const badPrices = await faultIn(options.pricesFile);
  if (badPrices !== undefined) return refused(badPrices);

  await using parts = new AsyncDisposableStack();
  const { log, requests, flush } = await openLog(options.log);
  parts.defer(flush);
  const failure = Promise.withResolvers<Error>();
  const fail = (err: Error) => {
    log.fatal({ err }, "Agate cannot go on.");
    failure.resolve(err);
  };

  const store = await openSqliteStore({
    directory: options.dataDirectory,
    onFailure: fail,
  }).catch((error: unknown) => {
    if (error instanceof DataDirectoryError) return error;
    throw error;
  });
  if (store instanceof DataDirectoryError) return refused(store.message);
  parts.defer(() => store.close());

  const ingest = startIngestThread({
    appender: store.appenderHandle(),
    pricesFile: options.pricesFile,
    maxDecompressedBytes: limits.decompressedBody,
    maxWaitingBytes: limits.waiting,
    onFailure: fail,
  });
  parts.defer(() => ingest.close());

  if (options.retentionMs !== null) {
    const stop = startRetention(store, options.retentionMs, (round) => {
      if ("failed" in round) log.error({ err: round.failed }, "Retention could not delete.");
      else log.info(round, "Retention deleted traces.");
    });
    parts.defer(stop);
  }

  const app = createHttpApp({
    store,
    ingest,
    access: operatorAccess(DEFAULT_PROJECT_ID),
    log,
    hostPolicy: hostPolicyFor(host),
    maxBodyBytes: limits.body,
  });
  const outcome = await startHttpServer({ app, host, port, requests });
  if (outcome.kind !== "listening") return refused(LISTEN_REASONS[outcome.kind](host, port));
  const { server } = outcome;
  log.info({ version: VERSION, url: server.url, data: options.dataDirectory }, "Agate is running.");
  parts.defer(() => stopListening(server));
  const started = parts.move();
  return {
    kind: "running",
    platform: {
      url: server.url,
      failed: failure.promise,
      close: () => started.disposeAsync(),
    },
  };

  async function stopListening(server: HttpServer): Promise<void> {
    log.info("Shutting down.");
    const brokenOff = await server.close();
    if (brokenOff > 0) log.warn({ connections: brokenOff }, "Connections were broken off.");
  }
}

/** What is wrong with a price file. The ingest thread reads it again: only it needs the table. */
async function faultIn(pricesFile: string | null): Promise<string | undefined> {
  if (pricesFile === null) return undefined;
  const { loadPrices } = await import("./ingest/load-prices.ts");
  const prices = loadPrices(pricesFile);
  return prices.kind === "invalid" ? prices.reason : undefined;
}

function refused(reason: string): StartOutcome {
  return { kind: "refused", reason };
}

const LISTEN_REASONS: Record<
  Exclude<ListenOutcome["kind"], "listening">,
  (host: string, port: number) => string
> = {
  "port-in-use": (host, port) =>
    `Port ${port} on ${host} is in use by another program. Stop that one, or choose another with --port.`,
  "not-permitted": (_, port) =>
    `Listening on port ${port} is not permitted. Choose one above 1023 with --port.`,
  "no-such-address": (host) =>
    `This machine has no address ${host}. Choose another with --host, such as 127.0.0.1.`,
};
