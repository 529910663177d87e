import { workerData } from "node:worker_threads";
import type { ClickHouseAddress } from "../store-address.ts";
import { serveTrees } from "../trees/serve-trees.ts";
import { ClickHouseSession, connectClickHouse } from "./clickhouse-session.ts";
import { TraceReader } from "./trace-reader.ts";

/** Fewer than connections: the nodes of a trace are parsed as a whole, which takes their memory twice. */
const CHUNKS_AT_ONCE = 4;

const address = workerData as ClickHouseAddress;
const session = new ClickHouseSession(connectClickHouse(address), address);
const reader = new TraceReader(session);

serveTrees({
  readTree: (...read) => reader.readTree(...read),
  chunksAtOnce: CHUNKS_AT_ONCE,
  close: () => session.close(),
});
