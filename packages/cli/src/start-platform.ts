import { existsSync } from "node:fs";
import { DEFAULT_PROJECT_ID } from "@agate/protocol";
import type { AccessPolicy } from "./access/create-access-control.ts";
import { openAccess } from "./access/open-access.ts";
import { createDeployer } from "./deployments/create-deployer.ts";
import { Services } from "./deployments/service-directory.ts";
import { startIngestThread } from "./ingest/ingest-thread.ts";
import { openRegistry } from "./registry/open-registry.ts";
import type { Registry } from "./registry/registry.ts";
import { hostPolicyFor } from "./server/host-guard.ts";
import { createHttpApp } from "./server/http-app.ts";
import type { HttpServer, ListenOutcome } from "./server/http-server.ts";
import { startHttpServer } from "./server/http-server.ts";
import type { LogOptions } from "./server/log/log-options.ts";
import { openLog } from "./server/log/open-log.ts";
import type { AnsweredCall } from "./server/services/watch-call.ts";
import { openSqliteRegistry } from "./stores/registry/open-sqlite-registry.ts";
import { filesIn } from "./stores/sqlite/data-directory.ts";
import { DataDirectoryError } from "./stores/sqlite/data-directory-error.ts";
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
  /** Whether API keys are needed even on a loopback address. */
  readonly requireKey: boolean;
  /** The application that answers the contract's paths without a prefix, too. */
  readonly rootApplication?: string;
  /** Told of every call of a workflow, when it is over. */
  readonly onCall?: (call: AnsweredCall) => void;
  readonly log: LogOptions;
  readonly limits: PlatformLimits;
}

/** All in bytes but the rate. */
export interface PlatformLimits {
  /** Of a request's body as it is sent. */
  readonly body: number;
  /** Of the same when it is unpacked. */
  readonly decompressedBody: number;
  /** Of all requests that wait to be written; beyond it clients are told to slow down. */
  readonly waiting: number;
  /** Of a build's archive, 64 MiB where nothing is said; its files may be four times as much. */
  readonly build?: number;
  /** Requests a second for each API key; 0: no limit. */
  readonly rate: number;
}

export interface Platform {
  readonly url: string;
  /** Where programs on this machine reach it. */
  readonly localUrl: string;
  readonly registry: Registry;
  /** Which build answers for which application. */
  readonly services: Services;
  /** Makes an API key for a program that is run beside the platform: it may send spans and read. */
  issueKey(name: string): string;
  /** Resolves with the reason if the platform cannot go on. */
  readonly failed: Promise<Error>;
  /** Stops accepting, finishes and commits what it has. */
  close(): Promise<void>;
}

export type StartOutcome =
  | { readonly kind: "running"; readonly platform: Platform }
  /** One sentence for the person who started it. Nothing was changed. */
  | { readonly kind: "refused"; readonly reason: string };

const MOST_BUILD_BYTES = 64 * 1024 ** 2;

/** The composition root: every part of the platform is made here, and taken down in reverse. */
export async function startPlatform(options: PlatformOptions): Promise<StartOutcome> {
  const { host, port, limits } = options;
  const policy: AccessPolicy =
    options.requireKey || hostPolicyFor(host) === "any" ? "keys" : "loopback";
  // Before anything is made: a server that nobody could use must leave no folder behind.
  if (policy === "keys" && !existsSync(filesIn(options.dataDirectory).registry)) {
    return refused(keysAreMissing(options));
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
  }).catch(dataDirectoryError);
  if (store instanceof DataDirectoryError) return refused(store.message);
  parts.defer(() => store.close());

  const database = await openSqliteRegistry(options.dataDirectory).catch(dataDirectoryError);
  if (database instanceof DataDirectoryError) return refused(database.message);
  const registry = await openRegistry(database);
  parts.defer(() => registry.close());

  const access = await openAccess({
    db: database,
    policy,
    rateLimit: limits.rate,
    onInvalidKeys: (attempts) =>
      log.warn({ attempts }, "Requests came with an API key that is not valid."),
    onSaveFailed: (err) => log.warn({ err }, "When keys were last used could not be written."),
  });
  parts.defer(() => access.close());
  if (policy === "keys" && !(await access.keys.hasAdmin())) return refused(keysAreMissing(options));

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

  const issueKey = (project: string, name: string) =>
    access.internalKeys.issue({ project, name, scopes: ["ingest", "read"] });
  const services = new Services();
  const { build: maxBuildBytes = MOST_BUILD_BYTES } = limits;
  const deployer = createDeployer({
    registry,
    services,
    dataDirectory: options.dataDirectory,
    mostUnpackedBytes: 4 * maxBuildBytes,
    issueKey: ({ project, slug }) => issueKey(project, `builds of ${slug}`),
    log,
  });
  await deployer.recover();

  const app = createHttpApp({
    store,
    ingest,
    access,
    registry,
    deployer,
    services,
    rootApplication: options.rootApplication ?? null,
    onCall: options.onCall,
    log,
    hostPolicy: policy === "keys" ? "any" : "loopback",
    maxBodyBytes: limits.body,
    maxBuildBytes,
  });
  const outcome = await startHttpServer({ app, host, port, requests });
  if (outcome.kind !== "listening") return refused(LISTEN_REASONS[outcome.kind](host, port));
  const { server } = outcome;
  log.info({ version: VERSION, url: server.url, data: options.dataDirectory }, "Agate is running.");
  parts.defer(() => stopListening(server));
  // Before that: the last spans of builds are still to be taken.
  parts.defer(() => deployer.close());
  parts.defer(() => log.info("Shutting down."));
  const localUrl = urlForBuilds(host, server.port);
  deployer.open(localUrl);
  const started = parts.move();
  return {
    kind: "running",
    platform: {
      url: server.url,
      localUrl,
      registry,
      services,
      issueKey: (name) => issueKey(DEFAULT_PROJECT_ID, name).key,
      failed: failure.promise,
      close: () => started.disposeAsync(),
    },
  };

  async function stopListening(server: HttpServer): Promise<void> {
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

/** One that a person can mend; any other is thrown on. */
function dataDirectoryError(error: unknown): DataDirectoryError {
  if (error instanceof DataDirectoryError) return error;
  throw error;
}

function keysAreMissing({ host, dataDirectory, requireKey }: PlatformOptions): string {
  const what = requireKey
    ? "Agate will not start with --require-key and without API keys"
    : `Agate will not listen on ${host} without API keys`;
  const folder = /^[\w./-]+$/.test(dataDirectory)
    ? dataDirectory
    : `'${dataDirectory.replaceAll("'", "'\\''")}'`;
  return `${what}, and none has the scope admin yet. Make one with \`agate keys create admin --scope admin --data-dir ${folder}\`, then start it again.`;
}

/** An address of all interfaces is none that can be called. */
function urlForBuilds(host: string, port: number): string {
  const address = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
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
