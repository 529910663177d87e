import { mkdtempSync } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_PROJECT_ID } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import { expect } from "vitest";
import type { AccessPolicy } from "../../access/access-control.ts";
import type { OpenAccess } from "../../access/open-access.ts";
import { openAccess } from "../../access/open-access.ts";
import { Backups } from "../../backup/take-backup.ts";
import type { DeployerLimits, ProcessOptions } from "../../deployments/create-deployer.ts";
import { createDeployer } from "../../deployments/create-deployer.ts";
import type { RunningDeployer } from "../../deployments/deployer.ts";
import type { GatewayOptions } from "../../deployments/gateway/gateway.ts";
import type { StartBuildProcess } from "../../deployments/processes/start-build-process.ts";
import { Services } from "../../deployments/services.ts";
import type { Evaluators } from "../../evaluations/evaluators.ts";
import { RunExecutor } from "../../evaluations/run-executor.ts";
import type { IngestService } from "../../ingest/ingest-service.ts";
import { startIngestThread } from "../../ingest/ingest-thread.ts";
import type { DecodeLimits } from "../../ingest/otlp/decode-outcome.ts";
import { DEFAULT_DECODE_LIMITS } from "../../ingest/otlp/decode-outcome.ts";
import { openRegistry } from "../../registry/open-registry.ts";
import type { Registry } from "../../registry/registry.ts";
import { openRegistryDatabase } from "../../stores/registry/open-registry-database.ts";
import type { RegistrySignals } from "../../stores/registry/registry-signals.ts";
import type { SpanStore } from "../../stores/span-store.ts";
import { openSqliteStore } from "../../stores/sqlite/sqlite-store.ts";
import type { PostgresAddress } from "../../stores/store-address.ts";
import { loadSecretKeys } from "../../variables/load-secret-keys.ts";
import { SecretsInUse } from "../../variables/secrets-in-use.ts";
import { checkDisk, Readiness } from "../health/readiness.ts";
import type { HttpApp } from "../http-app.ts";
import { createHttpApp } from "../http-app.ts";
import type { HttpServer } from "../http-server.ts";
import { startHttpServer } from "../http-server.ts";
import { openLog } from "../log/open-log.ts";
import { Conformance } from "./conformance.fixture.ts";
import type { TestRequest, TestResponse } from "./send-request.fixture.ts";
import { sendRequest } from "./send-request.fixture.ts";

export interface TestPlatformOptions {
  /** Where the registry is; in the platform's own folder where nothing is said. */
  readonly registry?: PostgresAddress;
  /** Whether it is never told what others change in the registry, as if that were still on its way. */
  readonly isUntold?: boolean;
  /** The keys of secrets; one is made in its own folder where nothing is said. */
  readonly secretKey?: string;
  readonly maxBodyBytes?: number;
  readonly maxBuildBytes?: number;
  readonly deploying?: Partial<DeployerLimits>;
  readonly processes?: Partial<ProcessOptions>;
  readonly startBuild?: StartBuildProcess;
  readonly rootApplication?: string;
  readonly gateway?: GatewayOptions;
  /** What runs evaluations; deployed builds where nothing is said. */
  readonly evaluators?: Evaluators;
  /** Told of every deployed route that is called, with the environment's id. */
  readonly onRoute?: (environment: string, route: string) => void;
  readonly corsOrigins?: readonly string[];
  readonly maxDecompressedBytes?: number;
  readonly decodeLimits?: Partial<DecodeLimits>;
  readonly maxWaitingBytes?: number;
  readonly pageFolder?: URL;
  /** How long the page's document waits for what is put into it. */
  readonly pageWaitMs?: number;
  readonly now?: () => number;
  /** `loopback` where nothing is said: requests need no key. */
  readonly policy?: AccessPolicy;
  /** Requests a second for each key; without it there is no limit. */
  readonly rateLimit?: number;
}

/** The server with all its real parts: store, ingest thread, HTTP. */
export interface TestPlatform {
  readonly app: HttpApp;
  readonly store: SpanStore;
  readonly ingest: IngestService;
  readonly access: OpenAccess;
  readonly registry: Registry;
  readonly deployer: RunningDeployer;
  readonly services: Services;
  readonly readiness: Readiness;
  readonly server: HttpServer;
  readonly dataDirectory: string;
  /** Sends a request; what comes back is checked against /openapi.json. */
  send(request: TestRequest): Promise<TestResponse>;
  get(path: string): Promise<TestResponse>;
  append(spans: readonly StoredSpan[]): Promise<void>;
  /** The log's lines so far, parsed. */
  logLines(): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** The project of those who come without a key. */
export const TEST_PROJECT = DEFAULT_PROJECT_ID;
const MEGABYTE = 1024 * 1024;

/**
 * Of the process: the document depends on no option, and to make it and compile its schemas takes longer than
 * to start a server.
 */
let conformance: Promise<Conformance> | undefined;

export async function startTestPlatform(options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const directory = mkdtempSync(join(tmpdir(), "agate-http-"));
  const logPath = join(directory, "log");
  const logFile = await open(logPath, "w");
  const { log, requests, flush } = await openLog({
    level: "info",
    format: "json",
    destination: logFile.fd,
  });
  const dataDirectory = join(directory, "data");
  const store = await openSqliteStore({ directory: dataDirectory });
  const database = await openRegistryDatabase(
    options.registry ?? { kind: "sqlite", directory: dataDirectory },
  );
  const secretKeys = loadSecretKeys({
    environment: options.secretKey === undefined ? {} : { AGATE_SECRET_KEY: options.secretKey },
    dataDirectory,
    isEmbedded: options.registry === undefined,
  });
  const registry = await openRegistry(
    options.isUntold ? { ...database, signals: untold(database.signals) } : database,
    { secretKeys },
  );
  const { policy = "loopback", rateLimit = 0 } = options;
  const access = await openAccess({
    ...database,
    policy,
    rateLimit,
    onInvalidKeys: (attempts) => log.warn({ attempts }, "Requests with a wrong API key."),
    onSaveFailed: (err) => log.error({ err }),
    onReloadFailed: (err) => log.error({ err }),
    ...(options.now && { now: options.now }),
  });
  const secretsInUse = new SecretsInUse();
  const ingest = startIngestThread({
    makeAppender: () => store.appenderHandle(),
    pricesFile: null,
    maxDecompressedBytes: options.maxDecompressedBytes ?? 8 * MEGABYTE,
    decodeLimits: { ...DEFAULT_DECODE_LIMITS, ...options.decodeLimits },
    maxWaitingBytes: options.maxWaitingBytes ?? 8 * MEGABYTE,
    redactionOf: access.redactionOf,
    secretsOf: (project) => secretsInUse.of(project),
    onTrouble: ({ what, error }) => log.error({ err: error }, what),
    onThreadEnded: (error) => log.error(error),
  });
  const services = new Services();
  const maxBuildBytes = options.maxBuildBytes ?? 8 * MEGABYTE;
  const deployer = createDeployer({
    buildUsers: null,
    redactionOf: access.redactionOf,
    onVariables: (project, environmentId, values) =>
      secretsInUse.learn(project, environmentId, values),
    registry,
    services,
    shared: database.sharedBuilds,
    dataDirectory,
    mostUnpackedBytes: 4 * maxBuildBytes,
    issueKey: ({ project, application, id, slug }, build) =>
      access.internalKeys.issue({
        project,
        name: `builds of ${application.slug} in ${slug}`,
        scopes: ["ingest", "read"],
        pair: { environmentId: id, buildId: build.id, build: build.number },
      }),
    issueEvaluatorKey: (project, name) =>
      access.internalKeys.issue({ project, name, scopes: ["ingest", "read"] }),
    log,
    ...(options.deploying && { limits: options.deploying }),
    processes: options.processes,
    ...(options.startBuild && { start: options.startBuild }),
  });
  await deployer.recover();
  const readiness = new Readiness({
    isStarting: () => deployer.isStarting(),
    probes: {
      disk: () => checkDisk(dataDirectory),
      store: () => store.check(),
      registry: () => database.check(),
    },
    onChange: () => {},
    limits: { keepMs: 0 },
  });
  const executor = new RunExecutor({
    registry,
    store,
    evaluators: options.evaluators ?? deployer.evaluators,
    redactionOf: access.redactionOf,
    now: options.now ?? Date.now,
    log,
    everyMs: 200,
  });
  executor.start();
  const app = createHttpApp({
    store,
    executor,
    ingest,
    access,
    registry,
    backups: new Backups({
      dataDirectory,
      spans: true,
      registry: options.registry === undefined,
    }),
    deployer,
    evaluators: options.evaluators ?? deployer.evaluators,
    readiness,
    services,
    rootApplication: options.rootApplication ?? null,
    gateway: options.gateway,
    onRoute: options.onRoute,
    log,
    hostPolicy: policy === "keys" ? "any" : "loopback",
    corsOrigins: options.corsOrigins,
    maxBodyBytes: options.maxBodyBytes ?? MEGABYTE,
    maxBuildBytes,
    ...(options.pageFolder && { pageFolder: options.pageFolder }),
    pageWaitMs: options.pageWaitMs,
    ...(options.now && { now: options.now }),
  });
  const outcome = await startHttpServer({ app, host: "127.0.0.1", port: 0, requests });
  if (outcome.kind !== "listening") throw new Error(outcome.kind);
  const { server } = outcome;
  deployer.open(server.url);
  conformance ??= sendRequest(server.port, { path: "/openapi.json" }).then(
    ({ json }) => new Conformance(json),
  );
  const documented = await conformance;
  const send = async (request: TestRequest): Promise<TestResponse> => {
    const response = await sendRequest(server.port, request);
    documented.check(request, response);
    return response;
  };
  return {
    app,
    store,
    ingest,
    access,
    registry,
    deployer,
    services,
    readiness,
    server,
    dataDirectory,
    send,
    get: (path) => send({ path }),
    async append(spans) {
      const batch = { project: TEST_PROJECT, receivedAt: 1_000_000, spans };
      expect(await store.append(batch)).toEqual({ kind: "committed" });
    },
    async logLines() {
      await flush();
      const text = await readFile(logPath, "utf8");
      return text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    },
    async close() {
      await executor.close();
      await deployer.close();
      await server.close();
      await ingest.close();
      await access.close();
      await registry.close();
      await store.close();
      await flush();
      await logFile.close();
      await rm(directory, { recursive: true });
    },
  };
}

function untold(signals: RegistrySignals): RegistrySignals {
  return {
    areShared: signals.areShared,
    announce: () => {},
    subscribe: () => () => {},
    close: () => signals.close(),
  };
}
