import { listedSpanSchema } from "@agate/protocol/schemas";
import type { StoredSpan } from "@agate/spans";
import { beforeAll, describe, expect, it } from "vitest";
import type { ListPage, ListPosition, SpanFilter } from "../span-query.ts";
import { expectedPreview } from "./expected-preview.fixture.ts";
import { expectedTree, withoutChildren } from "./expected-tree.fixture.ts";
import { family } from "./family.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

/** Order, paging and filters of lists. */
export function describeLists(subject: Subject): void {
  describe("lists", () => {
    it("come newest first, page by page, each item once", async () => {
      subject.fresh();
      const last = Number.MAX_SAFE_INTEGER - storedSpan().start;
      const starts = [5, 1, 3, 3, 3, 9, 2, last, last];
      await subject.append(
        starts.map((start, i) => storedSpan({ traceId: traceIdOf(i), id: spanIdOf(i), start })),
      );
      for (const verb of ["listTraces", "listSpans"] as const) {
        const seen: string[] = [];
        let after: ListPosition | null = null;
        do {
          const page = await subject.list(verb, {}, 2, after);
          expect(page.items.length).toBeLessThanOrEqual(2);
          seen.push(...page.items.map((item) => item.id));
          after = page.next;
        } while (after !== null);
        expect(seen).toEqual([8, 7, 5, 0, 4, 3, 2, 6, 1].map(spanIdOf));
      }
    });

    it("go on where a page ended though newer traces have come", async () => {
      subject.fresh();
      await subject.append([1, 2, 3].map((n) => storedSpan({ traceId: traceIdOf(n), start: n })));
      const first = await subject.list("listTraces", {}, 1);
      await subject.append([storedSpan({ traceId: traceIdOf(4), start: 4 })]);
      const rest = await subject.list("listTraces", {}, 10, first.next);
      expect([...first.items, ...rest.items].map((item) => item.trace_id)).toEqual(
        [3, 2, 1].map(traceIdOf),
      );
      expect(rest.next).toBeNull();
    });

    it("are ordered by start to the nanosecond, then by id, page by page", async () => {
      subject.fresh();
      // The ids are in another order than the nanoseconds.
      const sketches = [
        { start: 5, startNanos: 1, id: 3 },
        { start: 5, startNanos: 999, id: 1 },
        { start: 5, startNanos: 0, id: 4 },
        { start: 4, startNanos: 999, id: 9 },
        { start: 5, startNanos: 1, id: 2 },
        { start: 6, startNanos: 0, id: 0 },
      ];
      // In at least two commits: the first does not wait for the others.
      await Promise.all(
        sketches.map(({ start, startNanos, id }) => {
          const ids = { traceId: traceIdOf(id), id: spanIdOf(id) };
          return subject.append([storedSpan({ ...ids, start, startNanos, name: "list" })]);
        }),
      );
      const wanted = [0, 1, 3, 2, 4, 9].map(spanIdOf);
      for (const verb of ["listTraces", "listSpans"] as const) {
        for (const limit of [1, 2, 3, 100]) {
          const seen: string[] = [];
          let after: ListPosition | null = null;
          do {
            const page = await subject.list(verb, { name: "list" }, limit, after);
            seen.push(...page.items.map((item) => item.id));
            after = page.next;
          } while (after !== null);
          expect(seen).toEqual(wanted);
        }
      }
    });

    it("move a trace whose top is sent again with other nanoseconds", async () => {
      subject.fresh();
      const traces = [1, 2].map((n) =>
        storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), startNanos: 10 * n }),
      );
      await subject.append(traces);
      const order = async () =>
        (await subject.list("listTraces")).items.map((item) => item.trace_id);
      expect(await order()).toEqual([2, 1].map(traceIdOf));
      await subject.append([
        storedSpan({ traceId: traceIdOf(1), id: spanIdOf(1), startNanos: 30 }),
      ]);
      expect(await order()).toEqual([1, 2].map(traceIdOf));
      await subject.append([storedSpan({ traceId: traceIdOf(1), id: spanIdOf(1), startNanos: 5 })]);
      expect(await order()).toEqual([2, 1].map(traceIdOf));
    });

    it("take the top and what it belongs to by the nanosecond", async () => {
      for (const batches of [1, 3]) {
        subject.fresh();
        // By id alone, each of these would come in the other order.
        const spans = [
          storedSpan({ id: spanIdOf(1), startNanos: 7, name: "later", sessionId: "later" }),
          storedSpan({ id: spanIdOf(2), startNanos: 5, name: "sooner", sessionId: "sooner" }),
          storedSpan({ id: spanIdOf(3), startNanos: 3, name: "top" }),
        ];
        const size = Math.ceil(spans.length / batches);
        for (let at = 0; at < spans.length; at += size) {
          await subject.append(spans.slice(at, at + size));
        }
        expect(await subject.namesOf("listTraces", { sessionId: "sooner" })).toEqual(["top"]);
        expect(await subject.namesOf("listTraces", { sessionId: "later" })).toEqual([]);
      }
    });

    it("show the top of a trace with the trace's totals, as trees do", async () => {
      subject.fresh();
      const spans = family();
      await subject.append(spans);
      const { items } = await subject.list("listTraces");
      expect(items).toEqual([withoutChildren(expectedTree(spans))]);
      const ids = [traceIdOf(99), traceIdOf(1)];
      const { tops, unread } = await subject.store.readTops(subject.project, ids);
      expect(tops.map((top) => JSON.parse(top))).toEqual(items);
      expect(unread).toBe(0);
    });

    // Sizes on both sides of what a segment, a stored body and an inlined record may hold.
    const SIZES = [1, 20_000, 300_000, 10, 140_000, 1_000_000, 3, 64_000];

    it("end a page at its bytes, with at least one item, and go on behind it", async () => {
      subject.fresh();
      // Incompressible, one trace in one commit, the other way round in two: assembled and not.
      const contentOf = (n: number, size: number) =>
        Array.from({ length: Math.ceil(size / 13) }, (_, i) =>
          ((i + 1) * (n + 7) * Math.E).toString(36).slice(0, 13),
        ).join("");
      const spans = SIZES.map((size, n) =>
        storedSpan({
          traceId: traceIdOf(n),
          id: spanIdOf(n),
          start: n,
          inputs: `é${contentOf(n, size)}`,
        }),
      );
      const children = SIZES.map((_, n) =>
        storedSpan({
          traceId: traceIdOf(n),
          id: spanIdOf(100 + n),
          parentId: spanIdOf(n),
          start: 100 + n,
        }),
      );
      await subject.append([...spans, ...children.filter((_, n) => n % 2 === 0)]);
      await subject.append(children.filter((_, n) => n % 2 === 1));
      for (const verb of ["listTraces", "listSpans"] as const) {
        const request = { project: subject.project, filter: {}, limit: 100, after: null };
        const whole = await subject.store[verb]({ ...request, maxBytes: 1e9 });
        expect(whole.next).toBeNull();
        expect(whole.items).toHaveLength(verb === "listTraces" ? 8 : 16);
        const lengths = whole.items.map((item) => Buffer.byteLength(item));
        const edges = [lengths[0]! + lengths[1]! - 1, lengths[0]! + lengths[1]!];
        for (const maxBytes of [...edges, 1, 100_000, 400_000, 1_200_000]) {
          const items: string[] = [];
          const pages: number[] = [];
          let after: ListPosition | null = null;
          do {
            const page: ListPage = await subject.store[verb]({ ...request, after, maxBytes });
            items.push(...page.items);
            pages.push(page.items.length);
            after = page.next;
          } while (after !== null);
          expect(items).toEqual(whole.items);
          expect(pages).toEqual(pageLengths(lengths, maxBytes));
        }
      }
    });

    it("have previews of long values where these are asked for, of as many as a page holds", async () => {
      subject.fresh();
      const gem = "\u{1F48E}";
      const contents: readonly unknown[] = [
        "x".repeat(300),
        "x".repeat(301),
        `${"é".repeat(299)}${gem}${"é".repeat(700)}`,
        { messages: [{ role: "user", content: gem.repeat(20_000) }] },
        Array.from({ length: 2_000 }, (_, n) => ({ n, below: [[n / 3]] })),
        { question: "x".repeat(285) },
        { question: "x".repeat(286) },
        "x".repeat(300_000),
      ];
      const spans = contents.flatMap((inputs, n) => {
        const top = storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), start: n, inputs });
        const below = { traceId: traceIdOf(n), parentId: spanIdOf(n), start: 100 + n };
        return [top, storedSpan({ ...below, id: spanIdOf(100 + n), outputs: inputs })];
      });
      await subject.append(spans.filter((_, n) => n % 4 !== 3));
      // Every second trace in two commits: not assembled.
      await subject.append(spans.filter((_, n) => n % 4 === 3));
      for (const verb of ["listTraces", "listSpans"] as const) {
        const request = { project: subject.project, filter: {}, limit: 100, after: null };
        const whole = await subject.store[verb]({ ...request, maxBytes: 1e9 });
        const previews = await subject.store[verb]({ ...request, content: "preview" });
        const shown = previews.items.map((item) => listedSpanSchema.parse(JSON.parse(item)));
        expect(shown).toEqual(whole.items.map((item) => expectedPreview(JSON.parse(item))));
        expect(shown.filter(({ truncated }) => truncated !== undefined)).toHaveLength(
          verb === "listTraces" ? 6 : 12,
        );
        expect(previews.next).toBeNull();
        const lengths = previews.items.map((item) => Buffer.byteLength(item));
        const edge = lengths[0]! + lengths[1]!;
        for (const maxBytes of [1, edge - 1, edge, 3_000]) {
          const items: string[] = [];
          const pages: number[] = [];
          let after: ListPosition | null = null;
          do {
            const part = { ...request, after, maxBytes, content: "preview" } as const;
            const page: ListPage = await subject.store[verb](part);
            items.push(...page.items);
            pages.push(page.items.length);
            after = page.next;
          } while (after !== null);
          expect(items).toEqual(previews.items);
          expect(pages).toEqual(pageLengths(lengths, maxBytes));
        }
        if (verb === "listSpans") continue;
        const ids = contents.map((_, n) => traceIdOf(contents.length - 1 - n));
        const { tops } = await subject.store.readTops(subject.project, ids, {
          content: "preview",
          maxBytes: 1e9,
        });
        expect(tops).toEqual(previews.items);
      }
    });

    it("read the tops of traces up to a number of bytes, at least one", async () => {
      subject.fresh();
      await subject.append(
        SIZES.map((size, n) =>
          storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), inputs: "x".repeat(size) }),
        ),
      );
      const ids = SIZES.map((_, n) => traceIdOf(n));
      const read = (maxBytes: number) => subject.store.readTops(subject.project, ids, { maxBytes });
      for (const [maxBytes, length] of [
        [1, 1],
        [30_000, 2],
        [330_000, 4],
        [1e9, SIZES.length],
      ] as const) {
        const { tops, unread } = await read(maxBytes);
        expect(tops.map((top) => JSON.parse(top).trace_id)).toEqual(ids.slice(0, length));
        expect(unread).toBe(SIZES.length - length);
      }
    });

    const one = {
      name: "one",
      kind: "WORKFLOW",
      status: "ERROR",
      application: "shop",
      route: "/summarize",
      variant: "blue",
      revision: 3,
      environment: "production",
      userId: "ann",
      sessionId: "s1",
      run: "r1",
      start: 100,
      latency: 250,
      figures: { role: "own", usage: usageOf(1, 1), cost: 0.5 },
    } as const;
    const two = { ...one, name: "two", start: 200 } as const;
    const base = storedSpan().start;
    /** A filter, what a trace has that it does not find, and which other cases' traces it does not find either. */
    type FilterCase = [
      name: string,
      filter: SpanFilter,
      other: Partial<Record<keyof StoredSpan, unknown>>,
      others?: readonly string[],
    ];
    const cases: FilterCase[] = [
      ["application", { application: "shop" }, { application: "other" }],
      ["route", { route: "/summarize" }, { route: "/summarize/" }, ["route, none"]],
      ["route, none", { route: "/summarize" }, { route: null }, ["route"]],
      ["variant", { variant: "blue" }, { variant: null }],
      [
        "revision",
        { variant: "blue", revision: 3 },
        { revision: 30 },
        ["revision, none", "variant"],
      ],
      ["revision, none", { revision: 3 }, { revision: null }, ["revision"]],
      ["environment", { environment: "production" }, { environment: "staging" }],
      ["status ERROR", { status: "ERROR" }, { status: "OK" }],
      ["spankind", { spankind: "WORKFLOW" }, { kind: "LLM" }],
      ["user", { userId: "ann" }, { userId: null }],
      ["session", { sessionId: "s1" }, { sessionId: "s2" }],
      ["run", { run: "r1" }, { run: "r2" }, ["run, none"]],
      ["run, none", { traffic: "evaluation" }, { run: null }],
      ["from, inclusive", { startedFrom: base + 100 }, { start: 99 }],
      ["to, exclusive", { startedBefore: base + 201 }, { start: 201 }],
      [
        "minimum latency",
        { minLatency: 250 },
        { latency: 249.999 },
        ["minimum latency, not ended"],
      ],
      ["minimum latency, not ended", { minLatency: 250 }, { latency: null }, ["minimum latency"]],
      [
        "minimum cost",
        { minCost: 0.5 },
        { figures: { ...one.figures, cost: 0.4999 } },
        ["minimum cost, unknown"],
      ],
      ["minimum cost, unknown", { minCost: 0.5 }, { figures: null }, ["minimum cost"]],
    ];
    describe("of traces that differ in one field each", () => {
      const outOf = (name: string) => `out: ${name}`;
      const outs = cases.map(([name, , other]) => ({ ...one, name: outOf(name), ...other }));
      const spans = [one, two, ...outs].map((sketch, i) =>
        storedSpan({ ...sketch, traceId: traceIdOf(i), id: spanIdOf(i) } as never),
      );
      const newestFirst = spans
        .toReversed()
        .sort((a, b) => b.start - a.start)
        .map(({ name }) => name);

      beforeAll(async () => {
        subject.fresh();
        await subject.append(spans);
      });

      it.each(cases)("filter by %s", async (name, filter, _, others = []) => {
        const out = [name, ...others].map(outOf);
        const wanted = newestFirst.filter((each) => !out.includes(each));
        expect(await subject.namesOf("listTraces", filter)).toEqual(wanted);
        expect(await subject.namesOf("listSpans", filter)).toEqual(wanted);
      });
    });

    it("filter by values as long as a request can hold, as groups tell them", async () => {
      subject.fresh();
      const long = `${"é".repeat(15_999)}a`;
      const other = `${"é".repeat(15_999)}b`;
      const fields = ["application", "route", "variant", "environment", "userId", "run"] as const;
      const every = (text: string) =>
        Object.fromEntries([...fields, "sessionId", "name"].map((key) => [key, text]));
      await subject.append([
        storedSpan({ ...every(long), traceId: traceIdOf(1) }),
        storedSpan({ ...every(other), traceId: traceIdOf(2), id: spanIdOf(2) }),
      ]);
      for (const filter of Object.entries(every(long)).map(([key, text]) => ({ [key]: text }))) {
        expect(await subject.namesOf("listTraces", filter)).toEqual([long]);
        expect(await subject.namesOf("listSpans", filter)).toEqual([long]);
      }
      const { groups } = await subject.store.analytics({
        project: subject.project,
        filter: { userId: long },
        from: base,
        to: base + 10,
        interval: 10,
        groups: { by: "user_id", limit: 5 },
      });
      expect(groups.map(({ key }) => key)).toEqual([long]);
    });

    it("filter by the ids of traces", async () => {
      subject.fresh();
      await subject.append(
        [1, 2, 3, 4].map((n) =>
          storedSpan({
            traceId: traceIdOf(n),
            id: spanIdOf(n),
            name: `n${n}`,
            start: n,
            status: n === 2 ? "ERROR" : "OK",
          }),
        ),
      );
      await subject.store.searchCaughtUp();
      const traceIds = [1, 2, 4, 99].map(traceIdOf);
      for (const verb of ["listTraces", "listSpans"] as const) {
        expect(await subject.namesOf(verb, { traceIds })).toEqual(["n4", "n2", "n1"]);
        expect(await subject.namesOf(verb, { traceIds, status: "OK" })).toEqual(["n4", "n1"]);
        expect(await subject.namesOf(verb, { traceIds, text: "n4" })).toEqual(["n4"]);
        expect(await subject.namesOf(verb, { traceIds, text: "n3" })).toEqual([]);
        expect(await subject.namesOf(verb, { traceIds: [] })).toEqual([]);
      }
    });

    it("filter by name, by other states, and by everything at once", async () => {
      subject.fresh();
      await subject.append([
        storedSpan(one),
        storedSpan({ ...two, traceId: traceIdOf(2), status: "OK" }),
      ]);
      for (const verb of ["listTraces", "listSpans"] as const) {
        expect(await subject.namesOf(verb, { name: "one" })).toEqual(["one"]);
        expect(await subject.namesOf(verb, { status: "OK" })).toEqual(["two"]);
        expect(await subject.namesOf(verb, { status: "UNSET" })).toEqual([]);
        const all = Object.assign({}, ...cases.map(([, filter]) => filter)) as SpanFilter;
        expect(await subject.namesOf(verb, { ...all, name: "one" })).toEqual(["one"]);
      }
    });

    it("take what the top does not say from the earliest span that does", async () => {
      for (const batches of [1, 2, 3]) {
        subject.fresh();
        const spans = [
          storedSpan({ name: "GET /chat", environment: "production" }),
          storedSpan({
            id: spanIdOf(2),
            parentId: spanIdOf(1),
            start: 9,
            sessionId: "later",
            variant: "blue",
            revision: 7,
          }),
          storedSpan({
            id: spanIdOf(3),
            parentId: spanIdOf(1),
            start: 5,
            sessionId: "earlier",
            environment: "staging",
            route: "/chat",
            variant: "green",
          }),
        ];
        const size = Math.ceil(spans.length / batches);
        for (let at = 0; at < spans.length; at += size) {
          await subject.append(spans.slice(at, at + size));
        }
        const found = (filter: SpanFilter) => subject.namesOf("listTraces", filter);
        expect(await found({ sessionId: "earlier" })).toEqual(["GET /chat"]);
        expect(await found({ sessionId: "later" })).toEqual([]);
        expect(await found({ environment: "production" })).toEqual(["GET /chat"]);
        expect(await found({ environment: "staging" })).toEqual([]);
        expect(await found({ route: "/chat" })).toEqual(["GET /chat"]);
        // The revision of one variant is none of another's.
        expect(await found({ variant: "green" })).toEqual(["GET /chat"]);
        expect(await found({ revision: 7 })).toEqual([]);
      }
    });

    it("filter traces by their top and their total cost, spans by their own", async () => {
      subject.fresh();
      await subject.append([
        storedSpan({ name: "top", kind: "WORKFLOW" }),
        storedSpan({ ...one, name: "call", kind: "LLM", id: spanIdOf(2), parentId: spanIdOf(1) }),
      ]);
      expect(await subject.namesOf("listTraces", { minCost: 0.5 })).toEqual(["top"]);
      expect(await subject.namesOf("listSpans", { minCost: 0.5 })).toEqual(["call"]);
      expect(await subject.namesOf("listTraces", { spankind: "LLM" })).toEqual([]);
    });
  });
}

/** How many items each page has, by the rule: as many as fit, at least one. */
function pageLengths(lengths: readonly number[], maxBytes: number): number[] {
  const pages: number[] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const length of lengths) {
    bytes += length;
    if (bytes > maxBytes) {
      pages.push(0);
      bytes = length;
    }
    pages[pages.length - 1]! += 1;
  }
  return pages;
}
