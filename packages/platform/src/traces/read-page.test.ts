import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ListPage, ListPosition } from "../stores/span-query.ts";
import type { PartRequest } from "./read-page.ts";
import { decodeCursor, encodeCursor, readPage } from "./read-page.ts";

/** A list of texts of these lengths, which gives parts as a store does. */
function listOf(lengths: readonly number[]) {
  const items = lengths.map((length, n) => JSON.stringify({ n, text: "é".repeat(length) }));
  const parts: PartRequest[] = [];
  const read = async (part: PartRequest): Promise<ListPage> => {
    parts.push(part);
    const from = part.after === null ? 0 : part.after.start + 1;
    let to = from;
    let bytes = 0;
    while (to < items.length && to - from < part.limit) {
      bytes += Buffer.byteLength(items[to]!);
      if (to > from && bytes > part.maxBytes) break;
      to++;
    }
    return {
      items: items.slice(from, to),
      next:
        to < items.length
          ? { start: to - 1, startNanos: 0, traceId: "0".repeat(32), spanId: null }
          : null,
    };
  };
  return { items, read, parts };
}

async function textOf(page: Awaited<ReturnType<typeof readPage>>): Promise<string> {
  if (page.kind === "whole") return page.json;
  const chunks: Uint8Array[] = [];
  for await (const chunk of page.chunks) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

it("gives every item once, in pages that end at their limit of items or bytes", async () => {
  const run = fc.asyncProperty(
    fc.array(fc.constantFrom(0, 1, 10, 40, 100, 500), { maxLength: 40 }),
    fc.integer({ min: 1, max: 12 }),
    fc.constantFrom(1, 50, 200, 1_000),
    fc.constantFrom(1, 50, 200, 1_000),
    async (lengths, limit, bytes, partBytes) => {
      const { items, read } = listOf(lengths);
      const seen: unknown[] = [];
      let after: ListPosition | null = null;
      do {
        const page: string = await textOf(
          await readPage({ after, limit, read, limits: { bytes, partBytes } }),
        );
        const { items: shown, next_cursor } = JSON.parse(page);
        const sizes: number[] = shown.map((item: unknown) =>
          Buffer.byteLength(JSON.stringify(item)),
        );
        expect(shown.length).toBeLessThanOrEqual(limit);
        // All but the last are less than the limit.
        expect(sizes.slice(0, -1).reduce((sum, size) => sum + size, 0)).toBeLessThan(bytes);
        if (next_cursor !== null) expect(shown.length).toBeGreaterThan(0);
        seen.push(...shown);
        after = next_cursor === null ? null : decodeCursor("traces", next_cursor)!;
      } while (after !== null);
      expect(seen).toEqual(items.map((item) => JSON.parse(item)));
    },
  );
  await fc.assert(run, { numRuns: 300 });
});

it("reads no part before the one ahead of it was taken", async () => {
  const { read, parts } = listOf([100, 100, 100, 100]);
  const page = await readPage({
    after: null,
    limit: 10,
    read,
    limits: { bytes: 10_000, partBytes: 1 },
  });
  if (page.kind !== "chunks") throw new Error(page.kind);
  expect(parts).toHaveLength(1);
  await page.chunks.next();
  expect(parts).toHaveLength(1);
  await page.chunks.next();
  expect(parts).toHaveLength(2);
  await page.chunks.return();
  expect(parts).toHaveLength(2);
});

it("answers a page of one part as a whole", async () => {
  const { read } = listOf([1, 2, 3]);
  expect((await readPage({ after: null, limit: 2, read })).kind).toBe("whole");
  expect((await readPage({ after: null, limit: 3, read })).kind).toBe("whole");
});

const id = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length });
const position = fc.record({
  start: fc.maxSafeNat(),
  startNanos: fc.nat(999),
  traceId: id(32),
  spanId: fc.option(id(16)),
});

describe("cursors", () => {
  it("bring a position back, in their own list only", () => {
    fc.assert(
      fc.property(position, (original) => {
        const cursor = encodeCursor(original);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        const [own, other] =
          original.spanId === null
            ? (["traces", "spans"] as const)
            : (["spans", "traces"] as const);
        expect(decodeCursor(own, cursor)).toEqual(original);
        expect(decodeCursor(other, cursor)).toBeUndefined();
      }),
    );
  });

  it("are nothing but what a list returned", () => {
    const cursor = encodeCursor({ start: 7, startNanos: 5, traceId: "a".repeat(32), spanId: null });
    const damaged = [
      "",
      "x",
      `${cursor}A`,
      ` ${cursor}`,
      `${cursor}=`,
      ...[
        "t2.1e3.0",
        "t2.9007199254740993.0",
        "t2.1.1000",
        "t2.1.-1",
        "t2.1.",
        "t2.1.01",
        "t1.1",
        "t3.1.0",
      ]
        .map((start) => `${start}.${"a".repeat(32)}`)
        .map((text) => Buffer.from(text).toString("base64url")),
      Buffer.from(`t2.1.0.${"a".repeat(32)}.`).toString("base64url"),
      Buffer.from("t2.1.0.a'b").toString("base64url"),
    ];
    for (const text of damaged) expect(decodeCursor("traces", text)).toBeUndefined();
  });

  it("can be any text without harm", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const decoded = decodeCursor("traces", text);
        if (decoded !== undefined) expect(encodeCursor(decoded)).toBe(text);
      }),
    );
  });
});
