import type { ListedSpan } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import type { LoggedContent } from "../logged-content.ts";
import { MOST_SCORES_PER_TRACE, type StoredScore } from "../score-store.ts";
import { toLoggedRow } from "../to-logged-row.ts";
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
      expect(outcome).toEqual({ kind: "partly-committed", rejected: [second.id] });
    });
  });
}
