import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanFilter } from "../span-query.ts";
import { openSqliteStore } from "./sqlite-store.ts";

/** Up to so many spans of runs are looked up and sorted; more are found by walking the list. */
const RARE_MATCHES = 20_000;
const project = "default";

it("finds the same spans of a run, on both sides of what is rare", async () => {
  const directory = mkdtempSync(join(tmpdir(), "agate-common-runs-"));
  const store = await openSqliteStore({ directory });
  const append = async (first: number, count: number, run: string | null) => {
    const spans = Array.from({ length: count }, (_, n) =>
      storedSpan({
        traceId: traceIdOf(Math.floor((first + n) / 1_000)),
        id: spanIdOf(first + n),
        start: first + n,
        name: `${first + n}`,
        // One span of a trace names the run of all.
        run: (first + n) % 1_000 === 0 ? run : null,
      }),
    );
    expect(await store.append({ project, receivedAt: 1, spans })).toEqual({ kind: "committed" });
  };
  const newest = async (filter: SpanFilter) => {
    const { items } = await store.listSpans({ project, filter, limit: 3, after: null });
    return items.map((item): string => JSON.parse(item).name);
  };
  const runs: SpanFilter[] = [{ run: "r1" }, { traffic: "evaluation" }];
  try {
    await append(0, RARE_MATCHES, "r1");
    await append(100_000, 5, null);
    for (const filter of runs) expect(await newest(filter)).toEqual(["19999", "19998", "19997"]);
    expect(await newest({ traffic: "live" })).toEqual(["100004", "100003", "100002"]);
    await append(RARE_MATCHES, 1, "r1");
    for (const filter of runs) expect(await newest(filter)).toEqual(["20000", "19999", "19998"]);
    expect(await newest({ traffic: "live" })).toEqual(["100004", "100003", "100002"]);
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
}, 60_000);
