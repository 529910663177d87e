import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { serveThread } from "../../threads/thread-rpc.ts";
import type { ScoreBatch } from "../score-store.ts";
import type { BatchToWrite } from "../segments/segment-encoder.ts";
import type { ForgetApi } from "./span-indexer.ts";
import { SpanWriter } from "./span-writer.ts";
import type { AppendApi, WriterApi, WriterData } from "./sqlite-appender.ts";

const { directory, maxSpansPerTrace, changes, troubles, compactFromBytes, quietMs } =
  workerData as WriterData;
const main = parentPort as MessagePort;
const writer = new SpanWriter(directory, {
  maxSpansPerTrace,
  announce: (notice) => changes.postMessage(notice),
  onTrouble: (trouble) => troubles.postMessage(trouble),
  compactFromBytes,
  quietMs,
});
const ports: MessagePort[] = [];

const forAll = {
  append: (batch: BatchToWrite) => writer.append(batch),
  putScores: async (batch: ScoreBatch) => writer.putScores(batch),
  forgotten: async (spanNos: readonly number[]) => writer.forgetDeletedSpans(spanNos),
} satisfies AppendApi & ForgetApi;

serveThread<WriterApi>(main, {
  ...forAll,
  connect: async (port) => {
    ports.push(port);
    serveThread<AppendApi & ForgetApi>(port, forAll);
  },
  deleteTrace: async (project, traceId) => writer.deleteTrace(project, traceId),
  expire: async (receivedBefore, limit) => writer.expire(receivedBefore, limit),
  close: async () => {
    await writer.close();
    for (const port of ports) port.close();
    changes.close();
    troubles.close();
    // The reply to this call must be sent first.
    setImmediate(() => main.close());
  },
});
