import type { SpanRecord } from "@agate/protocol";
import { spanRecordSchema } from "@agate/protocol/schemas";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shippedPrices } from "../pricing/shipped-prices.ts";
import { NOON, otlpSpan } from "./otlp-span.fixture.ts";
import type { StoredSpan } from "./stored-span.ts";
import { nestedRecordsText } from "./stored-span.ts";
import { createSpanMapper } from "./to-stored-span.ts";

const toStoredSpan = createSpanMapper({ prices: shippedPrices(), projectId: null });

/** A span that is this many microseconds after noon; ids are numbers. */
function span(id: number, parent: number | null, attributes: Record<string, string | number> = {}) {
  return toStoredSpan(
    otlpSpan(attributes, {
      spanId: idOf(id),
      parentSpanId: parent === null ? null : idOf(parent),
      start: { us: NOON + id, nanos: 0 },
      name: `span "${id}" ✓`,
    }),
  );
}

function idOf(id: number): string {
  return id.toString(16).padStart(16, "0");
}

function nested(spans: readonly StoredSpan[]): SpanRecord {
  return spanRecordSchema.parse(JSON.parse(nestedRecordsText(spans)));
}

/** Ids in brackets, as `1(2 3(4))`. */
function outline(record: SpanRecord): string {
  const below = (record.children ?? []).map(outline).join(" ");
  return Number.parseInt(record.id, 16) + (below === "" ? "" : `(${below})`);
}

describe("nestedRecordsText", () => {
  it("gives the one record of a trace of one span, a leaf", () => {
    const record = nested([span(1, null)]);
    expect(record).toMatchObject({ id: idOf(1), name: 'span "1" ✓', children: null });
  });

  it("nests children in their order, and hangs what has no parent here under the top", () => {
    const spans = [span(6, 99), span(5, 2), span(4, 1), span(3, 2), span(2, 1), span(1, null)];
    expect(outline(nested(spans))).toBe("1(2(3 5) 4 6)");
  });

  it("adds up tokens and cost from the leaves to the top", () => {
    const call = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-4o",
      "gen_ai.usage.input_tokens": 1_000_000,
      "gen_ai.usage.output_tokens": 7,
    };
    const record = nested([span(1, null), span(2, 1), span(3, 2, call), span(4, 2, call)]);
    const figures = { usage: { input_tokens: 2_000_000, output_tokens: 14 }, cost: 5.00014 };
    expect(record.metadata.total).toMatchObject(figures);
    expect(record.children?.[0]?.metadata.total).toMatchObject(figures);
    expect(record.metadata.usage).toBeNull();
  });

  it("takes a chain of 20,000 without recursion", () => {
    const chain = Array.from({ length: 20_000 }, (_, id) => span(id, id === 0 ? null : id - 1));
    const text = nestedRecordsText(chain);
    expect(text.endsWith(`"children":null}${"]}".repeat(19_999)}`)).toBe(true);
    expect(text.split('"children":[').length).toBe(20_000);
  });

  it("nests any tree as its parents say", () => {
    const parents = fc.array(fc.nat(), { maxLength: 40 });
    fc.assert(
      fc.property(parents, (choices) => {
        // Each span's parent is one before it: a tree of any shape, in order of time.
        const parentOf = choices.map((choice, index) => choice % (index + 1));
        const spans = [span(0, null), ...parentOf.map((parent, index) => span(index + 1, parent))];
        const expected = (id: number): string => {
          const below = parentOf.flatMap((parent, index) =>
            parent === id ? [expected(index + 1)] : [],
          );
          return id + (below.length === 0 ? "" : `(${below.join(" ")})`);
        };
        expect(outline(nested(spans))).toBe(expected(0));
      }),
    );
  });
});
