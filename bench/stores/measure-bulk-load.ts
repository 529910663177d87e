import type { StoredSpan } from "@agate/spans";
import { createSpanMapper } from "@agate/spans";
import { shippedPrices } from "@agate/spans/prices";
import { decodeOtlpProtobuf } from "../../packages/platform/src/ingest/otlp/decode-otlp-protobuf.ts";
import { openSpanStore } from "../../packages/platform/src/stores/open-span-store.ts";
import type { StoreAddress } from "../../packages/platform/src/stores/store-address.ts";
import type { Workload } from "./workload.ts";

const PROJECT = "bulk";
/** OTLP batches that are appended as one. */
const BATCHES_TOGETHER = 10;
const APPENDS_AT_ONCE = 4;

/** Appends decoded spans to the store itself, 5,000 at a time. @returns Spans a second. */
export async function measureBulkLoad(address: StoreAddress, workload: Workload): Promise<number> {
  const store = await openSpanStore(address, {
    onFailure: (error) => {
      throw error;
    },
  });
  const toStored = createSpanMapper({ prices: shippedPrices(), projectId: PROJECT });
  let [seconds, spans] = [0, 0];
  for (let n = 0; n < workload.batches; ) {
    const appends: StoredSpan[][] = [];
    for (; n < workload.batches && appends.length < APPENDS_AT_ONCE; ) {
      const append: StoredSpan[] = [];
      const end = Math.min(n + BATCHES_TOGETHER, workload.batches);
      for (; n < end; n++)
        append.push(...decoded(workload.batch(n).body).map((span) => toStored(span)));
      spans += append.length;
      appends.push(append);
    }
    const started = performance.now();
    await Promise.all(
      appends.map(async (append) => {
        const batch = { project: PROJECT, receivedAt: Date.now() * 1000, spans: append };
        const outcome = await store.append(batch);
        if (outcome.kind !== "committed") throw new Error(`Not committed: ${outcome.kind}`);
      }),
    );
    seconds += (performance.now() - started) / 1000;
  }
  await store.close();
  return spans / seconds;
}

function decoded(body: Buffer) {
  const outcome = decodeOtlpProtobuf(body);
  if (outcome.kind !== "decoded") throw new Error(outcome.reason);
  return outcome.request.spans;
}
