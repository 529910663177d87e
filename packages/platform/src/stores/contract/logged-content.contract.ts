import type { ListedSpan, SpanRecord } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import type { LoggedContent } from "../logged-content.ts";
import { MOST_CONTENT_BYTES, MOST_LOGGED_CHARACTERS } from "../logged-content.ts";
import { MOST_SCORES_PER_TRACE, type StoredScore } from "../score-store.ts";
import { toLoggedRow } from "../to-logged-row.ts";
import { readTree } from "../trees/read-tree.ts";
import { storedScore } from "./stored-score.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

const CHILD = { id: spanIdOf(2), parentId: spanIdOf(1) };
const SPANS = [storedSpan(), storedSpan({ ...CHILD, outputs: "own" })];

/** Content that came in log records, in every read. */
export function describeLoggedContent(subject: Subject): void {
  const row = (
    span: number,
    content: Partial<LoggedContent>,
    { loggedAt = 1, traceId = traceIdOf(1) } = {},
  ): StoredScore => {
    const place = { project: subject.project, traceId, spanId: spanIdOf(span) };
    const whole = { inputs: null, outputs: null, asked: [], answered: [], ...content };
    const stored = toLoggedRow(whole, { ...place, loggedAt, receivedAt: 1_000_000 });
    if (stored === undefined) throw new Error("too long");
    return stored;
  };
  const put = async (...scores: StoredScore[]) =>
    expect(await subject.store.putScores({ project: subject.project, scores })).toEqual({
      kind: "committed",
    });
  const contentOf = (record: ListedSpan | undefined) => record?.content;

  /** The content of both spans, as every read shows it. */
  async function everyRead(): Promise<unknown[]> {
    const tree = await subject.readTrace();
    const own = await subject.read({ kind: "span", spanId: spanIdOf(2) });
    const { items: spans } = await subject.list("listSpans");
    const byId = new Map(spans.map((span) => [span.id, span]));
    const both = [
      [tree, tree?.children?.[0]],
      [byId.get(spanIdOf(1)), byId.get(spanIdOf(2))],
    ].map((pair) => pair.map(contentOf));
    const { items: traces } = await subject.list("listTraces");
    const { tops } = await subject.store.readTops(subject.project, [traceIdOf(1)]);
    expect(traces.map(contentOf)).toEqual([contentOf(tree)]);
    expect(tops.map((text) => contentOf(JSON.parse(text)))).toEqual([contentOf(tree)]);
    expect(contentOf(own)).toEqual(both[0]?.[1]);
    expect(both[1]).toEqual(both[0]);
    return both[0] ?? [];
  }

  /** The trace as the server sends it: read in parts. */
  async function sentTree(): Promise<SpanRecord> {
    const focus = { kind: "trace", traceId: traceIdOf(1) } as const;
    const answer = await readTree(subject.store, subject.project, focus);
    if (answer.kind === "missing") throw new Error("missing");
    if (answer.kind === "whole") return JSON.parse(Buffer.from(answer.json).toString());
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.chunks) chunks.push(chunk);
    return JSON.parse(Buffer.concat(chunks).toString());
  }

  describe("logged content", () => {
    const user = '{"role":"user","content":"Grüße \\u0000 🙂"}';
    const answer = '{"role":"assistant","content":"Hello"}';
    const rows = () => [
      row(1, { asked: [user], answered: [answer] }, { loggedAt: 2 }),
      row(1, { asked: ['{"role":"system","content":"Be kind"}'] }),
      row(2, { inputs: '"logged"', outputs: '"logged"' }),
    ];
    const expected = [
      {
        inputs: {
          messages: [
            { role: "system", content: "Be kind" },
            { role: "user", content: "Grüße \u0000 🙂" },
          ],
        },
        internals: null,
        outputs: { messages: [{ role: "assistant", content: "Hello" }] },
      },
      { inputs: "logged", internals: null, outputs: "own" },
    ];

    it.each(["before", "after", "between"] as const)(
      "that comes %s the spans is where they have none, in every read",
      async (when) => {
        subject.fresh();
        if (when === "before") await put(...rows());
        await subject.append(when === "between" ? SPANS.slice(0, 1) : SPANS);
        if (when !== "before") await put(...rows());
        if (when === "between") await subject.append(SPANS.slice(1));
        expect(await everyRead()).toEqual(expected);
        // A resend of both changes nothing.
        await subject.append(SPANS);
        await put(...rows());
        expect(await everyRead()).toEqual(expected);
        expect((await subject.readTrace())?.metadata.scores).toBeUndefined();
      },
    );

    describe("is found by its words", () => {
      /** The spans, by their names, that a search finds, and whether it finds their trace. */
      async function found(text: string): Promise<readonly [spans: string[], traces: number]> {
        await subject.store.searchCaughtUp();
        const spans = await subject.namesOf("listSpans", { text });
        return [spans.sort(), (await subject.namesOf("listTraces", { text })).length];
      }
      const named = [
        storedSpan({ name: "call" }),
        storedSpan({ ...CHILD, name: "tool", outputs: "own" }),
      ];

      it.each(["before", "after", "between"] as const)(
        "that come %s the spans, together with those of the span",
        async (when) => {
          subject.fresh();
          if (when === "before") await put(...rows());
          await subject.append(when === "between" ? named.slice(0, 1) : named);
          if (when !== "before") {
            // The words of the spans are indexed already.
            await subject.store.searchCaughtUp();
            await put(...rows());
          }
          if (when === "between") await subject.append(named.slice(1));
          const expectFound = async () => {
            expect(await found("grüße")).toEqual([["call"], 1]);
            expect(await found("call hello kind")).toEqual([["call"], 1]);
            expect(await found('"be kind" gru*')).toEqual([["call"], 1]);
            expect(await found("logged")).toEqual([["tool"], 1]);
            expect(await found("tool own logged")).toEqual([["tool"], 1]);
            expect(await found("own")).toEqual([["tool"], 1]);
            // In two spans of the trace.
            expect(await found("hello own")).toEqual([[], 1]);
            expect(await found('"kind hello"')).toEqual([[], 0]);
            expect(await found("assistant missing")).toEqual([[], 0]);
          };
          await expectFound();
          await subject.append(named);
          await put(...rows());
          await expectFound();
        },
      );

      it("that are added later, and not where the span has content of its own", async () => {
        subject.fresh();
        await subject.append(named);
        await put(
          row(1, { asked: ['"first"'] }),
          row(2, { inputs: '"shown"', outputs: '"hidden"' }),
        );
        expect(await found("first")).toEqual([["call"], 1]);
        expect(await found("hidden")).toEqual([[], 0]);
        await put(row(1, { asked: ['"second"'] }, { loggedAt: 2 }));
        expect(await found("first second")).toEqual([["call"], 1]);
        expect(await found('"first second"')).toEqual([[], 0]);
        // The span is sent again, with what it had not before.
        await subject.append([{ ...storedSpan({ ...CHILD, name: "tool", inputs: "mine" }) }]);
        expect(await found("shown")).toEqual([[], 0]);
        expect(await found("mine hidden")).toEqual([["tool"], 1]);
      });

      it("in the trace and project that it was logged in, and in analytics", async () => {
        subject.fresh();
        await subject.append([...named, storedSpan({ traceId: traceIdOf(2), name: "other" })]);
        const elsewhere = subject.project;
        subject.fresh();
        await subject.append([...named, storedSpan({ traceId: traceIdOf(2), name: "other" })]);
        await put(row(1, { asked: ['"needle"'] }, { traceId: traceIdOf(2) }));
        expect(await found("needle")).toEqual([["other"], 1]);
        const request = { filter: { text: "needle" }, limit: 10, after: null };
        const others = await subject.store.listSpans({ ...request, project: elsewhere });
        expect(others.items).toEqual([]);
        const day = Date.UTC(2026, 10, 1) * 1000;
        const { total } = await subject.store.analytics({
          project: subject.project,
          filter: { text: "needle" },
          from: day - 1_000_000,
          to: day + 86_400_000_000,
          interval: 86_401_000_000,
          groups: null,
        });
        expect(total.count).toBe(1);
      });

      it("until its trace is deleted or has expired", async () => {
        subject.fresh();
        await put(...rows(), row(1, { asked: ['"hello"'] }, { traceId: traceIdOf(2) }));
        const other = storedSpan({ traceId: traceIdOf(2), name: "other" });
        await subject.append([...named, other]);
        expect(await found("hello")).toEqual([["call", "other"], 2]);
        await subject.store.deleteTrace(subject.project, traceIdOf(1));
        expect(await found("hello")).toEqual([["other"], 1]);
        // Sent again, they have no content any more.
        await subject.append(named);
        expect(await found("hello")).toEqual([["other"], 1]);
        while ((await subject.store.expire(2_000_000, 1_000)) > 0);
        expect(await found("hello")).toEqual([[], 0]);
        await subject.append([...named, other], 3_000_000);
        expect(await found("hello")).toEqual([[], 0]);
        expect(await found("call")).toEqual([["call"], 1]);
      });

      it("of more spans than are indexed at a time", async () => {
        subject.fresh();
        // In SQLite 1,000 at a time, in PostgreSQL 200; a trace takes 1,000.
        const many = Array.from({ length: 1_010 }, (_, n) => {
          const ids = { traceId: traceIdOf(n % 3), id: spanIdOf(n + 1) };
          return { span: storedSpan({ ...ids, name: `span-${n}` }), ids, n };
        });
        await subject.append(many.map(({ span }) => span));
        await subject.store.searchCaughtUp();
        await put(
          ...many.map(({ ids, n }) =>
            row(n + 1, { asked: [`"word${n} common"`] }, { traceId: ids.traceId }),
          ),
        );
        expect(await found("word0")).toEqual([["span-0"], 1]);
        expect(await found("word1009")).toEqual([["span-1009"], 1]);
        const page = await subject.list("listSpans", { text: "common" }, 2_000);
        expect(page.items).toHaveLength(many.length);
      });
    });

    it("is read in full where it is more than is in memory at a time", async () => {
      subject.fresh();
      // 1 MiB at a time: several spans together, and one that has more than that.
      const lengths = [100_000, 120_000, 0, 120_000, 10, 100_000, 100_000, 100_000, 100_000];
      const spans = lengths.map((_, n) =>
        storedSpan({ id: spanIdOf(n + 1), parentId: n === 0 ? null : spanIdOf(1), start: n }),
      );
      const textOf = (n: number, part: number, length: number) =>
        `${n} ${part} `.padEnd(length, "é");
      const contents = lengths.flatMap((length, n) =>
        Array.from({ length: length === 0 ? 0 : n === 3 ? 6 : 2 }, (_, part) => {
          const asked = [JSON.stringify(textOf(n, part, length))];
          return row(n + 1, { asked }, { loggedAt: part });
        }),
      );
      await subject.append(spans.slice(0, 4));
      await put(...contents, storedScore({ name: "helpful" }));
      await subject.append(spans.slice(4));
      const messagesOf = (record: ListedSpan | undefined) =>
        (record?.content.inputs as { messages: string[] } | null)?.messages ?? null;
      const wanted = lengths.map((length, n) =>
        length === 0
          ? null
          : Array.from({ length: n === 3 ? 6 : 2 }, (_, part) => textOf(n, part, length)),
      );
      const tree = await sentTree();
      expect([tree, ...(tree.children ?? [])].map(messagesOf)).toEqual(wanted);
      expect(tree.metadata.scores).toHaveLength(1);
      const { items: traces } = await subject.list("listTraces");
      expect(traces.map(messagesOf)).toEqual([wanted[0]]);
      expect(traces[0]?.metadata.scores).toHaveLength(1);
    });

    it("of a span has a limit, and what is there can be sent again", async () => {
      subject.fresh();
      const longest = MOST_LOGGED_CHARACTERS - row(1, { asked: ['""'] }).record.length;
      // Each has just as many bytes as a row may have; the quotes around a message are escaped in it.
      const parts = Array.from({ length: MOST_CONTENT_BYTES / MOST_LOGGED_CHARACTERS }, (_, n) =>
        row(1, { asked: [`"${String(n).padEnd(longest, ".")}"`] }, { loggedAt: n }),
      );
      expect(parts[0]?.record).toHaveLength(MOST_LOGGED_CHARACTERS);
      await put(...parts.slice(0, -1));
      await put(...parts);
      const more = row(1, { asked: ['"more"'] });
      const other = row(2, { asked: ['"other"'] });
      const outcome = await subject.store.putScores({
        project: subject.project,
        scores: [more, other, storedScore({ name: "helpful" })],
      });
      expect(outcome).toEqual({
        kind: "partly-committed",
        rejected: new Map([[more.id, "span-full"]]),
      });
      await put(...parts);
      await subject.append(SPANS);
      const tree = await sentTree();
      expect(tree.content.inputs).toMatchObject({ messages: { length: parts.length } });
      expect(tree.children?.[0]?.content.inputs).toEqual({ messages: ["other"] });
      expect(tree.metadata.scores).toHaveLength(1);
    });

    it("is beside scores, and not counted with them", async () => {
      subject.fresh();
      await subject.append(SPANS);
      await put(...rows(), storedScore({ name: "helpful" }));
      const tree = await subject.readTrace();
      expect(tree?.metadata.scores?.map(({ name }) => name)).toEqual(["helpful"]);
      expect(await everyRead()).toEqual(expected);
      const { items: traces } = await subject.list("listTraces");
      expect(traces[0]?.metadata.scores).toHaveLength(1);
      const day = Date.UTC(2026, 10, 1) * 1000;
      const figures = await subject.store.scoreFigures({
        project: subject.project,
        filter: {},
        from: day - 1_000_000,
        to: day + 86_400_000_000,
        interval: 86_401_000_000,
        groups: null,
      } as Parameters<typeof subject.store.scoreFigures>[0]);
      expect(figures.names.map(({ name }) => name)).toEqual(["helpful"]);
    });

    it("goes with its trace, and shares the room that scores have", async () => {
      subject.fresh();
      await put(...rows());
      await subject.append(SPANS);
      await subject.store.deleteTrace(subject.project, traceIdOf(1));
      await subject.append(SPANS);
      expect((await subject.readTrace())?.content.inputs).toBeNull();
      const many = Array.from({ length: MOST_SCORES_PER_TRACE - 1 }, (_, n) =>
        storedScore({ id: `score-${n}` }),
      );
      await put(...many);
      const [first, second] = rows() as [StoredScore, StoredScore];
      const outcome = await subject.store.putScores({
        project: subject.project,
        scores: [first, second, first],
      });
      expect(outcome).toEqual({
        kind: "partly-committed",
        rejected: new Map([[second.id, "trace-full"]]),
      });
    });
  });
}
