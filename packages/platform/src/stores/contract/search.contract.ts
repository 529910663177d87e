import { beforeAll, describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

/** Full-text search. */
export function describeSearch(subject: Subject): void {
  describe("full-text search", () => {
    const texts = [
      ["greeting", { messages: [{ role: "user", content: "Where is my refund, René?" }] }],
      ["shipping", "The parcel left Köln on Monday; order 7-42 is on its way"],
      ["tokyo", ["東京タワーはどこですか"]],
    ] as const;
    const searches: [string, string[]][] = [
      ["refund", ["greeting"]],
      ["REFUND rene", ["greeting"]],
      ["refund parcel", []],
      ['"left köln"', ["shipping"]],
      ['"köln left"', []],
      ["parc*", ["shipping"]],
      ["parc", []],
      ["shipping", ["shipping"]],
      ["7-42", ["shipping"]],
      ["東京", ["tokyo"]],
      ["京東", []],
      ["タワー", ["tokyo"]],
      ["AND OR NOT ( ) * : ^", []],
      ['"', []],
      ["", []],
    ];
    describe("in the same three traces", () => {
      beforeAll(async () => {
        subject.fresh();
        await subject.append(
          texts.map(([spanName, inputs], i) =>
            storedSpan({ name: spanName, inputs, traceId: traceIdOf(i), id: spanIdOf(i) }),
          ),
        );
        await subject.store.searchCaughtUp();
      });

      it.each(searches)("finds %s", async (text, wanted) => {
        expect(await subject.namesOf("listSpans", { text })).toEqual(wanted);
        expect(await subject.namesOf("listTraces", { text })).toEqual(wanted);
      });
    });

    it("skips a span whose text cannot be indexed, and indexes its neighbours", async () => {
      subject.fresh();
      const broken = { ...storedSpan({ id: spanIdOf(2) }), openRecord: '{"name":"needle"' };
      await subject.append([
        storedSpan({ name: "before", inputs: "needle" }),
        broken,
        storedSpan({ id: spanIdOf(3), name: "after", inputs: "needle" }),
        storedSpan({ traceId: traceIdOf(2), name: "other", inputs: "needle" }),
      ]);
      await subject.store.searchCaughtUp();
      const found = await subject.namesOf("listSpans", { text: "needle" });
      expect(found.sort()).toEqual(["after", "before", "other"]);
    });

    it("finds a trace by the text of any of its spans", async () => {
      subject.fresh();
      await subject.append([
        storedSpan({ name: "top" }),
        storedSpan({ id: spanIdOf(2), parentId: spanIdOf(1), outputs: "needle" }),
      ]);
      await subject.store.searchCaughtUp();
      expect(await subject.namesOf("listTraces", { text: "needle" })).toEqual(["top"]);
    });

    it("compares all of a beginning, also where it is longer than what PostgreSQL stores of a word", async () => {
      subject.fresh();
      // PostgreSQL stores 300 characters.
      const stem = "x".repeat(299);
      const longer = "y".repeat(1_000);
      const words = [stem, `${stem}a`, `${stem}ab`, `${stem}ac`, `${stem}ab${longer}z`];
      await subject.append([
        ...words.map((outputs, n) =>
          storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), start: n, name: `t${n}`, outputs }),
        ),
        storedSpan({
          traceId: traceIdOf(2),
          id: spanIdOf(9),
          parentId: spanIdOf(2),
          name: "below",
        }),
      ]);
      await subject.store.searchCaughtUp();
      const searches: [string, string[]][] = [
        [`${stem}*`, ["t4", "t3", "t2", "t1", "t0"]],
        [`${stem}a*`, ["t4", "t3", "t2", "t1"]],
        [`${stem}ab*`, ["t4", "t2"]],
        [`${stem}aby*`, ["t4"]],
        [`${stem}ab${longer}*`, ["t4"]],
        [`${stem}ab${longer}y*`, []],
        [`${stem}ad*`, []],
        [`t3-${stem}ac*`, []],
      ];
      for (const [text, wanted] of searches) {
        const shown = text.slice(295, 310);
        expect(await subject.namesOf("listSpans", { text }), shown).toEqual(wanted);
        expect(await subject.namesOf("listTraces", { text }), shown).toEqual(wanted);
      }
      const apart = `below ${stem}ab*`;
      expect(await subject.namesOf("listSpans", { text: apart })).toEqual([]);
      expect(await subject.namesOf("listTraces", { text: apart })).toEqual(["t2"]);
    });

    it("finds a trace whose words are in different spans, and no such span", async () => {
      subject.fresh();
      await subject.append([
        storedSpan({ name: "top", inputs: "the red fox" }),
        storedSpan({
          id: spanIdOf(2),
          parentId: spanIdOf(1),
          name: "child",
          outputs: "blue foxes",
        }),
        storedSpan({ traceId: traceIdOf(2), name: "other", inputs: "a red fox" }),
      ]);
      await subject.store.searchCaughtUp();
      const found = async (text: string) => [
        await subject.namesOf("listSpans", { text }),
        await subject.namesOf("listTraces", { text }),
      ];
      expect(await found("red blue")).toEqual([[], ["top"]]);
      expect(await found('"blue foxes" "red fox" r*')).toEqual([[], ["top"]]);
      expect(await found("red green")).toEqual([[], []]);
      expect(await found("red fox blue fox red")).toEqual([[], ["top"]]);
      expect(await found("a red fox")).toEqual([["other"], ["other"]]);
    });

    it("finds no phrase that begins in one text and ends in another", async () => {
      subject.fresh();
      const inputs = { system: "be kind", messages: ["red fox", "blue", 7, "", "sky"] };
      await subject.append([storedSpan({ name: "step one", inputs, outputs: "fox" })]);
      await subject.store.searchCaughtUp();
      const phrases = ["one be", "kind red", "fox blue", "blue 7", "7 sky", "sky fox"];
      for (const phrase of phrases) {
        const text = `"${phrase}"`;
        expect(await subject.namesOf("listSpans", { text }), text).toEqual([]);
        expect(await subject.namesOf("listTraces", { text }), text).toEqual([]);
        expect(await subject.namesOf("listSpans", { text: phrase }), phrase).toEqual(["step one"]);
      }
      expect(await subject.namesOf("listTraces", { text: '"step one" "red fox"' })).toHaveLength(1);
    });

    it("finds what was written last, and nothing that was replaced", async () => {
      subject.fresh();
      await subject.append([storedSpan({ inputs: "before" })]);
      await subject.store.searchCaughtUp();
      await subject.append([storedSpan({ inputs: "after" })]);
      await subject.store.searchCaughtUp();
      expect(await subject.namesOf("listSpans", { text: "before" })).toEqual([]);
      expect(await subject.namesOf("listTraces", { text: "before" })).toEqual([]);
      expect(await subject.namesOf("listSpans", { text: "after" })).toEqual(["span"]);
    });
  });
}
