import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StoredSpan } from "@agate/spans";
import { expect, it } from "vitest";
import { assemble, expectedTree, withoutChildren } from "../contract/expected-tree.fixture.ts";
import { family } from "../contract/family.fixture.ts";
import { looseSegment } from "../contract/loose-segment.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { filesIn } from "./data-directory.ts";
import { SEGMENTS_PER_TRACE } from "./span-schema.ts";
import { openSqliteStore } from "./sqlite-store.ts";

it("reads a trace that an earlier build stored as a single loose segment", async () => {
  const directory = mkdtempSync(join(tmpdir(), "agate-loose-"));
  const spans = family();
  const project = "default";
  {
    await using store = disposable(await openSqliteStore({ directory }));
    await store.append({ project, receivedAt: 1, spans });
  }
  storeLoose(directory, spans);
  {
    await using store = disposable(await openSqliteStore({ directory }));
    const wanted = expectedTree(spans);
    const readTrace = async () =>
      assemble(await store.readTree(project, { kind: "trace", traceId: traceIdOf(1) }));
    expect(await readTrace()).toEqual(wanted);
    const child = await store.readTree(project, { kind: "span", spanId: spanIdOf(2) });
    expect(await assemble(child)).toEqual(wanted.children?.[0]);
    const request = { project, filter: {}, limit: 10, after: null };
    const listed = await store.listSpans(request);
    const [second, third] = wanted.children ?? [];
    const all = [third, second?.children?.[0], second, wanted];
    expect(listed.items.map((item) => JSON.parse(item))).toEqual(
      all.map((record) => record && withoutChildren(record)),
    );
    const traces = await store.listTraces(request);
    expect(traces.items.map((item) => JSON.parse(item))).toEqual([withoutChildren(wanted)]);
    const exported: StoredSpan[] = [];
    for await (const part of store.exportSpans(null)) exported.push(...part.spans);
    expect(exported).toEqual(spans);
    await store.searchCaughtUp();
    expect((await store.listSpans({ ...request, filter: { text: "family" } })).items).toHaveLength(
      1,
    );
    const late = storedSpan({ id: spanIdOf(9), parentId: spanIdOf(1), start: 40 });
    await store.append({ project, receivedAt: 2, spans: [late] });
    expect(await readTrace()).toEqual(expectedTree([...spans, late]));
  }
  await rm(directory, { recursive: true });
});

/** Puts the only segment there as earlier builds wrote it for traces of some sizes. */
function storeLoose(directory: string, spans: readonly StoredSpan[]): void {
  using db = new DatabaseSync(filesIn(directory).spans);
  const { header, body } = looseSegment(spans);
  db.exec("DELETE FROM segments");
  db.prepare("INSERT INTO segments (segment, header, body) VALUES (?, ?, ?)").run(
    SEGMENTS_PER_TRACE,
    header,
    body,
  );
}

function disposable<Store extends { close(): Promise<void> }>(store: Store) {
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
}
