import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { describeSpanStore } from "../contract/span-store.contract.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const directory = mkdtempSync(join(tmpdir(), "agate-store-"));

describeSpanStore("SQLite", {
  arrivals: 12,
  // The rest is in `npm run test:long`.
  sizes: "some",
  open: (options) => openSqliteStore({ ...options, directory }),
  dispose: () => rm(directory, { recursive: true }),
});

// The index is woken by commits, which may cross with its end.
it.each([1, 1_500])("closes while a batch is committed, after %i spans", async (before) => {
  const own = mkdtempSync(join(tmpdir(), "agate-store-"));
  onTestFinished(() => rm(own, { recursive: true }));
  const spansFrom = (first: number, length: number) =>
    Array.from({ length }, (_, n) =>
      storedSpan({ traceId: traceIdOf(1), id: spanIdOf(first + n) }),
    );
  const store = await openSqliteStore({ directory: own });
  await store.append({ project: "p", receivedAt: 1, spans: spansFrom(1, before) });
  const last = store.append({ project: "p", receivedAt: 2, spans: spansFrom(before + 1, 100) });
  const [outcome] = await Promise.all([last, store.close()]);
  expect(outcome).toEqual({ kind: "committed" });
  const again = await openSqliteStore({ directory: own });
  onTestFinished(() => again.close());
  expect(await again.countSpans()).toEqual([{ project: "p", traces: 1, spans: before + 100 }]);
});
