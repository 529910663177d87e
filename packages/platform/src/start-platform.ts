import { existsSync } from "node:fs";
import { DEFAULT_PROJECT_ID } from "@agate/protocol";
import type { Logger } from "pino";
import type { AccessPolicy } from "./access/access-control.ts";
import { openAccess } from "./access/open-access.ts";
import { Backups, sweepBackups } from "./backup/take-backup.ts";
import { createDeployer, type ProcessOptions } from "./deployments/create-deployer.ts";
import type { RunningDeployer } from "./deployments/deployer.ts";
import { LastCalls } from "./deployments/gateway/last-calls.ts";
import type { UserRange } from "./deployments/processes/build-users.ts";
import { Services } from "./deployments/services.ts";
import type { Evaluators } from "./evaluations/evaluators.ts";
import { RunExecutor } from "./evaluations/run-executor.ts";
import { startIngestThread } from "./ingest/ingest-thread.ts";
import { DEFAULT_DECODE_LIMITS } from "./ingest/otlp/decode-outcome.ts";
import { openRegistry } from "./registry/open-registry.ts";
import type { Registry } from "./registry/registry.ts";
import type { AnsweredCall } from "./server/answered-call.ts";
import { http2Advice, type OtlpGrpc, openOtlpGrpc } from "./server/grpc/open-otlp-grpc.ts";
import { checkDisk, Readiness } from "./server/health/readiness.ts";
import { createHttpApp } from "./server/http-app.ts";
import type { HttpServer } from "./server/http-server.ts";
import { connectionsWithin, descriptorLimit, startHttpServer } from "./server/http-server.ts";
import { blockedPort, isLoopbackAddress, type OtlpGrpcAddress } from "./server/listen-address.ts";
import type { LogOptions } from "./server/log/log-options.ts";
import { openLog } from "./server/log/open-log.ts";
import { openSpanStore } from "./stores/open-span-store.ts";
import { QUERY_LIMITS } from "./stores/query-lane.ts";
import { openRegistryDatabase } from "./stores/registry/open-registry-database.ts";
import type { SpanStore } from "./stores/span-store.ts";
import { filesIn, holdDataDirectory } from "./stores/sqlite/data-directory.ts";
import { startRetention } from "./stores/start-retention.ts";
import type { ClickHouseAddress, PostgresAddress } from "./stores/store-address.ts";
import type { StoreTrouble } from "./stores/store-errors.ts";
import { StoreRefusalError } from "./stores/store-errors.ts";
import { loadSecretKeys } from "./variables/load-secret-keys.ts";
import { SecretKeyError } from "./variables/secret-keys.ts";
import { SecretsInUse } from "./variables/secrets-in-use.ts";
import { VERSION } from "./version.ts";

export interface PlatformOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** Where OTLP over gRPC is taken; absent: nowhere. */
  readonly otlpGrpc?: OtlpGrpcAddress;
  readonly dataDirectory: string;
  /** Where spans are kept; absent: in the data directory. */
  readonly store?: PostgresAddress | ClickHouseAddress;
  /** Where the registry is kept; absent: in the data directory. */
  readonly registry?: PostgresAddress;
  /** Milliseconds that a trace is kept; null keeps everything. */
  readonly retentionMs: number | null;
  /** A JSON file whose prices come before the shipped ones. */
  readonly pricesFile: string | null;
  /** Whether API keys are needed even on a loopback address. */
  readonly requireKey: boolean;
  /** Origins of pages that may call workflows and send traces; `*` for every page, with keys only. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** The application that answers the contract's paths without a prefix, too. */
  readonly rootApplication?: string;
  /** The users that builds run under where this process is root; without it, its own. */
  readonly buildUsers?: UserRange;
  /** How processes of builds are run. */
  readonly processes?: Partial<ProcessOptions>;
  /** Names of this process's variables that deployed builds inherit beside the usual. */
  readonly passEnv?: readonly string[];
  /** What runs evaluations, in place of those of deployed builds. */
  readonly evaluators?: (ofBuilds: Evaluators) => Evaluators;
  /** Told of every call of a workflow, when it is over. */
  readonly onCall?: (call: AnsweredCall) => void;
  readonly log: LogOptions;
  readonly limits: PlatformLimits;
}

/** All in bytes where nothing else is said. */
export interface PlatformLimits {
  /** Of a request's body as it is sent. */
  readonly body: number;
  /** Of the same when it is unpacked. */
  readonly decompressedBody: number;
  /** Of all requests that wait to be written, unpacked; beyond it clients are told to slow down. */
  readonly waiting: number;
  /** Milliseconds that a list or analytics may take; 30 s where nothing is said. */
  readonly queryTimeoutMs?: number;
  /** Spans in one request. */
  readonly requestSpans: number;
  /** Distinct spans in one trace. */
  readonly traceSpans: number;
  /** Connections at a time. */
  readonly connections: number;
  /** Of a build's archive, 64 MiB where nothing is said; its files may be four times as much. */
  readonly build?: number;
  /** Requests a second for each API key; 0: no limit. */
  readonly rate: number;
}

export interface Platform {
  readonly url: string;
  /** Where programs on this machine reach it. */
  readonly localUrl: string;
  /** Where OTLP over gRPC is taken, if it is. */
  readonly otlpGrpc: OtlpGrpc;
  readonly registry: Registry;
  /** Which build answers for which application. */
  readonly services: Services;
  /** Adds a line to an application's log: {@link RunningDeployer.addLine}. */
  readonly addLogLine: RunningDeployer["addLine"];
  /** Makes an API key for a program that is run beside the platform: it may send spans and read. */
  issueKey(name: string): string;
  /** Resolves with the reason if the platform cannot go on. */
  readonly failed: Promise<Error>;
  /** Resolves when {@link close} has ended all builds, after the calls that they have. */
  readonly buildsEnded: Promise<void>;
  /** Stops accepting, finishes and commits what it has. */
  close(): Promise<void>;
}

export type StartOutcome =
  | { readonly kind: "running"; readonly platform: Platform }
  /** One sentence for the person who started it. Nothing was changed. */
  | { readonly kind: "refused"; readonly reason: string };

/** What programs that the platform runs may do. */
const BUILD_SCOPES = ["ingest", "read"] as const;
const MOST_BUILD_BYTES = 64 * 1024 ** 2;
/** What requests under way are given when it ends, but for calls of builds; the stores come after. */
const LONGEST_REQUESTS_MS = 7_000;
/** What they are given in any case, for builds may have taken all of that. */
const SHORTEST_REQUESTS_MS = 500;

const EVERY_PAGE =
  "--cors-origin * would let every page that you open run workflows here without a key. Name the origins; only a server that asks for keys (agate server --require-key) takes *.";

/** The composition root: every part of the platform is made here, and taken down in reverse. */
export async function startPlatform(options: PlatformOptions): Promise<StartOutcome> {
  try {
    return await start(options);
  } catch (error) {
    if (error instanceof StoreRefusalError || error instanceof SecretKeyError) {
      return refused(error.message);
    }
    throw error;
  }
}

async function start(options: PlatformOptions): Promise<StartOutcome> {
  const { host, port, limits } = options;
  const policy = policyFor(options);
  const reason = await reasonNotToStart(options, policy);
  if (reason !== undefined) return refused(reason);

  await using parts = new AsyncDisposableStack();
  const { log, requests, flush } = await openLog(options.log);
  parts.defer(flush);
  const failure = Promise.withResolvers<Error>();
  const fail = (err: Error) => {
    log.fatal({ err }, "Agate cannot go on.");
    failure.resolve(err);
  };

  const onTrouble = ({ what, error }: StoreTrouble) => log.error({ err: error }, what);

  const inDirectory = { kind: "sqlite", directory: options.dataDirectory } as const;
  const store = await openSpanStore(options.store ?? inDirectory, {
    queries: { ...QUERY_LIMITS, timeoutMs: limits.queryTimeoutMs ?? QUERY_LIMITS.timeoutMs },
    maxSpansPerTrace: limits.traceSpans,
    onFailure: fail,
    onTrouble,
  });
  parts.defer(() => store.close());
  // The embedded store locks the data directory itself. Otherwise this does: builds are always stored there.
  if (options.store !== undefined) {
    const directory = holdDataDirectory(options.dataDirectory);
    parts.defer(() => directory.release());
  }
  await sweepBackups(options.dataDirectory);

  const database = await openRegistryDatabase(options.registry ?? inDirectory, {
    onSignalsLost: (reason) =>
      log.warn({ reason }, "The registry's changes are not heard for now."),
    onSignalsBack: () => log.info("The registry's changes are heard again."),
  });
  const isEmbedded = options.registry === undefined;
  const secretKeys = loadSecretKeys({
    environment: process.env,
    dataDirectory: options.dataDirectory,
    isEmbedded,
  });
  const registry = await openRegistry(database, { secretKeys });
  parts.defer(() => registry.close());

  const access = await openAccess({
    ...database,
    policy,
    rateLimit: limits.rate,
    onInvalidKeys: (attempts) =>
      log.warn({ attempts }, "Requests came with an API key that is not valid."),
    onSaveFailed: (err) => log.warn({ err }, "When keys were last used could not be written."),
    onReloadFailed: (err) => log.warn({ err }, "Changed API keys could not be read yet."),
  });
  parts.defer(() => access.close());
  if (policy === "keys" && !(await access.keys.hasAdmin())) return refused(keysAreMissing(options));

  const secretsInUse = new SecretsInUse();
  const ingest = startIngestThread({
    makeAppender: () => store.appenderHandle(),
    pricesFile: options.pricesFile,
    maxDecompressedBytes: limits.decompressedBody,
    decodeLimits: { ...DEFAULT_DECODE_LIMITS, spans: limits.requestSpans },
    maxWaitingBytes: limits.waiting,
    redactionOf: access.redactionOf,
    secretsOf: (project) => secretsInUse.of(project),
    onTrouble,
    onThreadEnded: (err) =>
      log.error({ err }, "The ingest thread ended, and is started again with the next request."),
  });
  parts.defer(() => ingest.close());

  parts.defer(await keepRetention(store, options.retentionMs, log));

  const issueKey = (project: string, name: string) =>
    access.internalKeys.issue({ project, name, scopes: BUILD_SCOPES });
  const services = new Services();
  const { build: maxBuildBytes = MOST_BUILD_BYTES } = limits;
  const deployer = createDeployer({
    registry,
    services,
    shared: database.sharedBuilds,
    dataDirectory: options.dataDirectory,
    mostUnpackedBytes: 4 * maxBuildBytes,
    issueKey: ({ project, application, id, slug }, build) =>
      access.internalKeys.issue({
        project,
        name: `builds of ${application.slug} in ${slug}`,
        scopes: BUILD_SCOPES,
        pair: { environmentId: id, buildId: build.id, build: build.number },
      }),
    issueEvaluatorKey: issueKey,
    buildUsers: options.buildUsers ?? null,
    passEnv: options.passEnv ?? [],
    onVariables: (project, environmentId, values) =>
      secretsInUse.learn(project, environmentId, values),
    redactionOf: access.redactionOf,
    processes: options.processes,
    log,
  });
  await deployer.recover();

  const readiness = new Readiness({
    isStarting: () => deployer.isStarting(),
    probes: {
      disk: () => checkDisk(options.dataDirectory),
      store: () => store.check(),
      registry: () => database.check(),
    },
    // Alone, it could not be without what it has sealed itself: a lost key must not stop everything.
    ...(!isEmbedded && { secrets: () => lackingKeys(registry) }),
    onChange: (failing) => {
      if (failing.length > 0) log.warn({ failing }, "Agate is not ready for calls.");
      else log.info("Agate is ready for calls.");
    },
  });
  const evaluators = options.evaluators?.(deployer.evaluators) ?? deployer.evaluators;
  const executor = new RunExecutor({
    registry,
    store,
    evaluators,
    redactionOf: access.redactionOf,
    now: Date.now,
    log,
  });
  const lastCalls = new LastCalls({
    db: database.db,
    onSaveFailed: (err) => log.warn({ err }, "When routes were last called could not be written."),
  });
  parts.defer(() => lastCalls.save());
  const hostPolicy = policy === "keys" ? "any" : "loopback";
  const app = createHttpApp({
    store,
    ingest,
    access,
    registry,
    backups: new Backups({
      dataDirectory: options.dataDirectory,
      spans: options.store === undefined,
      registry: options.registry === undefined,
    }),
    deployer,
    executor,
    evaluators,
    readiness,
    services,
    rootApplication: options.rootApplication ?? null,
    onCall: options.onCall,
    onRoute: (environment, route) => lastCalls.note(environment, route, Date.now()),
    log,
    hostPolicy,
    corsOrigins: options.corsOrigins,
    maxBodyBytes: limits.body,
    maxBuildBytes,
  });
  const maxConnections = connectionsWithin(descriptorLimit(), limits.connections);
  let otlpGrpc: OtlpGrpc = { kind: "off" };
  const outcome = await startHttpServer({
    app,
    host,
    port,
    requests,
    maxConnections,
    onHttp2: http2Advice(() => otlpGrpc, log),
  });
  if (outcome.kind === "refused") return outcome;
  const { server } = outcome;
  let requestsEndAt = 0;
  parts.defer(() => stopListening(server));
  const opened = await openOtlpGrpc({
    address: options.otlpGrpc ?? "off",
    host,
    http: server,
    maxConnections,
    ingest,
    access,
    hostPolicy,
    health: { closing: deployer.closing, readiness },
    maxBodyBytes: limits.body,
    requests,
    log,
  });
  if (opened.kind === "refused") return opened;
  otlpGrpc = opened;
  log.info(
    {
      version: VERSION,
      url: server.url,
      ...(otlpGrpc.kind === "listening" && { otlp_grpc: otlpGrpc.server.url }),
      data: options.dataDirectory,
      ...(options.store && { store: options.store.shown }),
      ...(options.registry && { registry: options.registry.shown }),
    },
    "Agate is running.",
  );
  if (otlpGrpc.kind === "not-free") {
    log.info({ reason: otlpGrpc.reason }, "OTLP over gRPC is not taken.");
  }
  // Before that: the last spans of builds are still to be taken.
  parts.defer(() => deployer.close());
  parts.defer(() => executor.close());
  parts.defer(() => log.info("Shutting down."));
  const localUrl = urlForBuilds(host, server.port);
  deployer.open(localUrl);
  executor.start();
  const started = parts.move();
  return {
    kind: "running",
    platform: {
      url: server.url,
      localUrl,
      otlpGrpc,
      registry,
      services,
      addLogLine: deployer.addLine,
      issueKey: (name) => issueKey(DEFAULT_PROJECT_ID, name).key,
      failed: failure.promise,
      buildsEnded: deployer.buildsEnded,
      close() {
        requestsEndAt = performance.now() + LONGEST_REQUESTS_MS;
        return started.disposeAsync();
      },
    },
  };

  async function stopListening(server: HttpServer): Promise<void> {
    const left = Math.max(SHORTEST_REQUESTS_MS, requestsEndAt - performance.now());
    const closed = [server.close(left)];
    if (otlpGrpc.kind === "listening") closed.push(otlpGrpc.server.close(left));
    const brokenOff = (await Promise.all(closed)).reduce((sum, count) => sum + count);
    if (brokenOff > 0) log.warn({ connections: brokenOff }, "Connections were broken off.");
  }
}

/** Keys are needed where others than this machine reach one of the listeners. */
function policyFor({ requireKey, host, otlpGrpc }: PlatformOptions): AccessPolicy {
  const hosts = [host, typeof otlpGrpc === "object" ? otlpGrpc.host : undefined];
  const isLocal = hosts.every((each) => each === undefined || isLoopbackAddress(each));
  return requireKey || !isLocal ? "keys" : "loopback";
}

/** What is wrong with the options, found before anything is opened: a refused server leaves no folder behind. */
async function reasonNotToStart(
  options: PlatformOptions,
  policy: AccessPolicy,
): Promise<string | undefined> {
  const blocked = blockedPort(options.port);
  if (blocked !== undefined) return blocked;
  // A server without any key is unusable.
  const hasNoRegistry =
    options.registry === undefined && !existsSync(filesIn(options.dataDirectory).registry);
  if (policy === "keys" && hasNoRegistry) return keysAreMissing(options);
  if (policy === "loopback" && options.corsOrigins?.includes("*")) return EVERY_PAGE;
  return await faultIn(options.pricesFile);
}

/** What this server lacks to read the secrets that other servers can; undefined where it lacks nothing. */
async function lackingKeys({ variables }: Registry): Promise<string | undefined> {
  const keys = await variables.unreadableKeys();
  if (keys === 0) return undefined;
  const count = keys === 1 ? "a key" : `${keys} keys`;
  return `This server lacks ${count} of stored secrets: see AGATE_SECRET_KEY_FILE.`;
}

/** Deletes traces when their time is up, where the store does not do so itself. @returns how to stop it. */
async function keepRetention(
  store: SpanStore,
  retentionMs: number | null,
  log: Logger,
): Promise<() => void | Promise<void>> {
  const retention = await store.keepFor(retentionMs);
  if (retentionMs === null || retention !== "by-steps") return () => {};
  return startRetention(store, retentionMs, (round) => {
    if ("failed" in round) log.error({ err: round.failed }, "Retention could not delete.");
    else if ("held" in round) log.error(round.held);
    else log.info(round, "Retention deleted traces.");
  });
}

/** What is wrong with a price file. The ingest thread reads it again: only it needs the table. */
async function faultIn(pricesFile: string | null): Promise<string | undefined> {
  if (pricesFile === null) return undefined;
  const { loadPrices } = await import("./ingest/load-prices.ts");
  const prices = loadPrices(pricesFile);
  return prices.kind === "invalid" ? prices.reason : undefined;
}

function keysAreMissing({ host, dataDirectory, registry, requireKey }: PlatformOptions): string {
  const what = requireKey
    ? "Agate will not start with --require-key and without API keys"
    : `Agate will not listen on ${host} without API keys`;
  const folder = /^[\w./-]+$/.test(dataDirectory)
    ? dataDirectory
    : `'${dataDirectory.replaceAll("'", "'\\''")}'`;
  const create = "agate keys create admin --scope admin,deploy";
  // Its password is not to be shown, so that the URL cannot be.
  const how = registry
    ? `\`${create} --registry\` and the same URL`
    : `\`${create} --data-dir ${folder}\``;
  return `${what}, and none has the scope admin yet. Make one with ${how}, then start it again.`;
}

/** An address of all interfaces is none that can be called. */
function urlForBuilds(host: string, port: number): string {
  const address = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

function refused(reason: string): StartOutcome {
  return { kind: "refused", reason };
}
