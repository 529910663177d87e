import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { assemble } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { idHash } from "./id-hash.ts";
import { openSqliteStore } from "./sqlite-store.ts";

it("is the same in all versions", () => {
  expect(["00f067aa0ba902b7", "0000000000000001", ""].map(idHash)).toEqual([
    -1208747997, -1382033550, -2128831035,
  ]);
});

/** Two ids with the same hash. */
function sharedHash(): readonly [string, string] {
  const known = new Map<number, string>();
  for (let n = 0; ; n++) {
    const id = spanIdOf(n);
    const other = known.get(idHash(id));
    if (other !== undefined) return [other, id];
    known.set(idHash(id), id);
  }
}

it("finds spans that share a hash by their ids, and no other", async () => {
  const directory = mkdtempSync(join(tmpdir(), "agate-id-hash-"));
  const store = await openSqliteStore({ directory });
  const [first, second] = sharedHash();
  const traceOf = async (spanId: string) => {
    await store.searchCaughtUp();
    const read = await store.readTree("default", { kind: "span", spanId });
    return (await assemble(read))?.trace_id;
  };
  const append = (id: string, n: number) =>
    store.append({
      project: "default",
      receivedAt: 1,
      spans: [storedSpan({ id, traceId: traceIdOf(n) })],
    });
  try {
    await append(first, 1);
    expect([await traceOf(first), await traceOf(second)]).toEqual([traceIdOf(1), undefined]);
    await append(second, 2);
    expect([await traceOf(first), await traceOf(second)]).toEqual([traceIdOf(1), traceIdOf(2)]);
    await store.deleteTrace("default", traceIdOf(2));
    expect([await traceOf(first), await traceOf(second)]).toEqual([traceIdOf(1), undefined]);
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
});
