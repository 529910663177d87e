import { workerData } from "node:worker_threads";
import { serveTrees } from "../trees/serve-trees.ts";
import { openForReading } from "./data-directory.ts";
import { TraceReader } from "./trace-reader.ts";

const db = openForReading(workerData as string);
const reader = new TraceReader(db);

serveTrees({
  readTree: (...read) => reader.readTree(...read),
  // Its reads are synchronous.
  chunksAtOnce: Number.POSITIVE_INFINITY,
  close: async () => db.close(),
});
