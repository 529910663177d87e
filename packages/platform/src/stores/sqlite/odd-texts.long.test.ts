import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredSpan } from "@agate/spans";
import { afterAll, beforeAll, expect, it } from "vitest";
import { foundIn } from "../contract/repeated-texts.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore } from "../span-store.ts";
import { openSqliteStore } from "./sqlite-store.ts";

// Patterns overflow V8's stack on texts that repeat some millions of times what they repeat.

const directory = mkdtempSync(join(tmpdir(), "agate-odd-texts-"));
const troubles: string[] = [];
let store: SpanStore;
beforeAll(async () => {
  store = await openSqliteStore({ directory, onTrouble: ({ what }) => troubles.push(what) });
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

async function append(project: string, ...spans: readonly StoredSpan[]): Promise<void> {
  expect(await store.append({ project, receivedAt: 1, spans })).toEqual({ kind: "committed" });
}

it.each([
  ["words that marks join", "a-".repeat(3_900_000)],
  ["marks above a letter beside Chinese", `東 e${"\u0301".repeat(7_800_000)}`],
])("finds the spans beside one with millions of %s", async (project, inputs) => {
  const needle = (n: number) =>
    storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), name: `needle${n} red-fox` });
  const odd = storedSpan({ id: spanIdOf(11), parentId: spanIdOf(1), name: "odd", inputs });
  await append(project, odd, needle(1), needle(2));
  await append(project, needle(3));
  const found = (text: string) => foundIn(store, project, text);
  const names = [1, 2, 3].map((n) => `needle${n} red-fox`);
  expect(await found("red-fox")).toEqual([names, 3]);
  expect(troubles).toEqual([]);
  // The trace is indexed again without what it no longer says.
  await append(project, storedSpan({ id: spanIdOf(1), name: "other" }));
  expect(await found("needle1")).toEqual([[], 0]);
  expect(await found("other")).toEqual([["other"], 1]);
  await store.deleteTrace(project, traceIdOf(2));
  expect(await found("red-fox")).toEqual([["needle3 red-fox"], 1]);
});
