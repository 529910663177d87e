import { mkdtempSync } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredSpan } from "@agate/spans";
import { expect } from "vitest";
import { operatorAccess } from "../../access/operator-access.ts";
import type { IngestService } from "../../ingest/ingest-service.ts";
import { startIngestThread } from "../../ingest/ingest-thread.ts";
import type { SpanStore } from "../../stores/span-store.ts";
import { openSqliteStore } from "../../stores/sqlite/sqlite-store.ts";
import type { HttpApp } from "../http-app.ts";
import { createHttpApp } from "../http-app.ts";
import type { HttpServer } from "../http-server.ts";
import { startHttpServer } from "../http-server.ts";
import { openLog } from "../log/open-log.ts";
import { Conformance } from "./conformance.fixture.ts";
import type { TestRequest, TestResponse } from "./send-request.fixture.ts";
import { sendRequest } from "./send-request.fixture.ts";

export interface TestPlatformOptions {
  readonly maxBodyBytes?: number;
  readonly maxDecompressedBytes?: number;
  readonly maxWaitingBytes?: number;
  readonly now?: () => number;
}

/** The server with all its real parts: store, ingest thread, HTTP. */
export interface TestPlatform {
  readonly app: HttpApp;
  readonly store: SpanStore;
  readonly ingest: IngestService;
  readonly server: HttpServer;
  /** Sends a request; what comes back is checked against /openapi.json. */
  send(request: TestRequest): Promise<TestResponse>;
  get(path: string): Promise<TestResponse>;
  append(spans: readonly StoredSpan[]): Promise<void>;
  /** The log's lines so far, parsed. */
  logLines(): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export const TEST_PROJECT = "test-project";
const MEGABYTE = 1024 * 1024;

export async function startTestPlatform(options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const directory = mkdtempSync(join(tmpdir(), "agate-http-"));
  const logPath = join(directory, "log");
  const logFile = await open(logPath, "w");
  const { log, requests, flush } = await openLog({
    level: "info",
    format: "json",
    destination: logFile.fd,
  });
  const store = await openSqliteStore({ directory: join(directory, "data") });
  const ingest = startIngestThread({
    appender: store.appenderHandle(),
    pricesFile: null,
    maxDecompressedBytes: options.maxDecompressedBytes ?? 8 * MEGABYTE,
    maxWaitingBytes: options.maxWaitingBytes ?? 8 * MEGABYTE,
    onFailure: (error) => log.error(error),
  });
  const app = createHttpApp({
    store,
    ingest,
    access: operatorAccess(TEST_PROJECT),
    log,
    hostPolicy: "loopback",
    maxBodyBytes: options.maxBodyBytes ?? MEGABYTE,
    ...(options.now && { now: options.now }),
  });
  const outcome = await startHttpServer({ app, host: "127.0.0.1", port: 0, requests });
  if (outcome.kind !== "listening") throw new Error(outcome.kind);
  const { server } = outcome;
  const document = await sendRequest(server.port, { path: "/openapi.json" });
  const conformance = new Conformance(document.json);
  const send = async (request: TestRequest): Promise<TestResponse> => {
    const response = await sendRequest(server.port, request);
    conformance.check(request, response);
    return response;
  };
  return {
    app,
    store,
    ingest,
    server,
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
      await server.close();
      await ingest.close();
      await store.close();
      await flush();
      await logFile.close();
      await rm(directory, { recursive: true });
    },
  };
}
