import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listedPages } from "../contract/listed-pages.fixture.ts";
import { spanIdOf, storedSpan } from "../contract/stored-span.fixture.ts";
import type { SpanStore } from "../span-store.ts";
import { openSqliteStore } from "./sqlite-store.ts";

/** As many records are read for a page. */
const MOST_READ = 10_000;

const directory = mkdtempSync(join(tmpdir(), "agate-search-pages-"));
let store: SpanStore;
beforeAll(async () => {
  store = await openSqliteStore({ directory });
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

it.each([
  [MOST_READ, [[1, 0].map(spanIdOf)]],
  [MOST_READ + 1, [[spanIdOf(1)], [spanIdOf(0)]]],
])(
  "reads %i spans of a trace that has all words, in as many pages as it takes",
  async (count, pages) => {
    const project = `spans-${count}`;
    // Newest first: the words meet in the last two alone.
    const nameOf = (n: number) => (n < 2 ? "red blue" : n % 2 === 0 ? "red" : "blue");
    const spans = Array.from({ length: count }, (_, n) =>
      storedSpan({ id: spanIdOf(n), start: n, name: nameOf(n) }),
    );
    await store.append({ project, receivedAt: 1, spans });
    await store.searchCaughtUp();
    const request = { project, filter: { text: "red blue" }, limit: 10 };
    expect(await listedPages(store, "listSpans", request)).toEqual(pages);
  },
  60_000,
);
