import { workerData } from "node:worker_threads";
import type { PostgresAddress } from "../store-address.ts";
import { serveTrees } from "../trees/serve-trees.ts";
import { SpanDatabase } from "./span-database.ts";
import { TraceReader } from "./trace-reader.ts";

/** Reads share them, chunk by chunk. */
const CONNECTIONS = 2;
const STATEMENT_MS = 30_000;

const database = new SpanDatabase(workerData as PostgresAddress, {
  connections: CONNECTIONS,
  statementMs: STATEMENT_MS,
});
const reader = new TraceReader(database);

serveTrees({
  readTree: (...read) => reader.readTree(...read),
  chunksAtOnce: CONNECTIONS,
  close: () => database.close(),
});
