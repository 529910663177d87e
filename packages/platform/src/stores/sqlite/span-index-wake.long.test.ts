import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StoredSpan } from "@agate/spans";
import { afterEach, beforeEach, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore } from "../span-store.ts";
import { filesIn } from "./data-directory.ts";
import { openSqliteStore } from "./sqlite-store.ts";

// None of these calls `searchCaughtUp` once it could index what a lost wake-up left behind.

const ROUNDS = 8;
/** More than the index removes in one step, so that it waits for the writer while others commit. */
const SENT_AGAIN = 1_200;

let directory = "";
let store: SpanStore;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "agate-wake-"));
  store = await openSqliteStore({ directory });
});

afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

it("finds every span by its words, also one committed while the index removes others", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    await append(
      Array.from({ length: SENT_AGAIN }, (_, n) =>
        storedSpan({ id: spanIdOf(n), start: n, name: `round${round}` }),
      ),
    );
    for (let n = 0; n < 4; n++) {
      const last = storedSpan({ traceId: traceIdOf(9), id: spanIdOf(n), name: `r${round}n${n}` });
      await append([last]);
    }
    await expect.poll(() => found(`r${round}n3`), { timeout: 10_000 }).toBe(1);
  }
}, 120_000);

it("indexes what was committed while the index file was locked, once it is free", async () => {
  await append([storedSpan({ name: "before" })]);
  await expect.poll(() => found("before"), { timeout: 10_000 }).toBe(1);
  {
    using index = new DatabaseSync(filesIn(directory).index);
    index.exec("BEGIN IMMEDIATE");
    await append([storedSpan({ id: spanIdOf(2), name: "meanwhile" })]);
    // Resolves when the index has tried in vain.
    await store.searchCaughtUp();
    expect(await found("meanwhile")).toBe(0);
    index.exec("ROLLBACK");
  }
  await expect.poll(() => found("meanwhile"), { timeout: 10_000 }).toBe(1);
});

async function append(spans: readonly StoredSpan[]): Promise<void> {
  const outcome = await store.append({ project: "default", receivedAt: 1, spans });
  expect(outcome).toEqual({ kind: "committed" });
}

async function found(text: string): Promise<number> {
  const page = await store.listSpans({
    project: "default",
    filter: { text },
    limit: 10,
    after: null,
  });
  return page.items.length;
}
