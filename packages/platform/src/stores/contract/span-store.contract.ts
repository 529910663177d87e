import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SpanStore, TopsRead, TraceChange } from "../span-store.ts";
import { describeAnalytics } from "./analytics.contract.ts";
import { describeDeleting } from "./deleting.contract.ts";
import { expectedTree } from "./expected-tree.fixture.ts";
import { describeExporting } from "./exporting.contract.ts";
import { describeFailedSpans } from "./failed-spans.contract.ts";
import { family } from "./family.fixture.ts";
import { describeLists } from "./lists.contract.ts";
import { describeLoggedContent } from "./logged-content.contract.ts";
import { describeScoreExporting } from "./score-exporting.contract.ts";
import { describeScoreFigures } from "./score-figures.contract.ts";
import { describeScores } from "./scores.contract.ts";
import { describeSearch } from "./search.contract.ts";
import { describeSendingAgain } from "./sending-again.contract.ts";
import type { TraceSizes } from "./sizes.contract.ts";
import { describeSizes } from "./sizes.contract.ts";
import { describeSpanLimit } from "./span-limit.contract.ts";
import { spanIdOf, storedSpan, traceIdOf } from "./stored-span.fixture.ts";
import type { OpenOptions } from "./subject.fixture.ts";
import { Subject } from "./subject.fixture.ts";
import { describeTraffic } from "./traffic.contract.ts";
import { describeTrees } from "./trees.contract.ts";

/** How the suite gets at a store; `open` may be called again after a close, over the same data. */
export interface StoreUnderTest {
  open(options: OpenOptions): Promise<SpanStore>;
  dispose(): Promise<void>;
  /** How many random arrivals are tried, 60 unless told: a database takes longer for each. */
  readonly arrivals?: number;
  /** Most commits to one trace that are tried, 257 unless told; where they do not shape what is read, fewer. */
  readonly commits?: number;
  /**
   * Which sizes of traces and pages are tried around the limits of stores: `all`, or for a database that takes
   * long for each, `some`, on both sides of each limit. All of them are tried by `npm run test:long`.
   */
  readonly sizes?: TraceSizes;
}

/**
 * What every span store must do. A store registers with one call, in a test file of its own:
 *
 * @example describeSpanStore("SQLite", { open: (options) => openSqliteStore({ ...options, directory }), dispose })
 */
export function describeSpanStore(name: string, under: StoreUnderTest): void {
  const { open, dispose, arrivals, commits = 257, sizes = "all" } = under;
  describe(`${name} span store`, () => {
    const subject = new Subject(open, arrivals);

    beforeAll(() => subject.open());
    afterAll(async () => {
      await subject.store.close();
      await dispose();
    });

    // First: what is exported is everything, of all the tests before as well.
    describeExporting(subject);
    describeTrees(subject, sizes);
    describeLists(subject);
    describeSearch(subject);
    describeTraffic(subject);
    describeFailedSpans(subject);
    describeSizes(subject, commits, sizes);
    describeSendingAgain(subject, sizes);
    describeSpanLimit(subject);
    describeAnalytics(subject);
    describeDeleting(subject);
    describeScores(subject);
    describeLoggedContent(subject);
    describeScoreExporting(subject);
    describeScoreFigures(subject);

    it("answers a check", () => subject.store.check());

    it("tells watchers about new and changed traces, after the commit", async () => {
      subject.fresh();
      const seen: TraceChange[] = [];
      const found: Promise<TopsRead>[] = [];
      const watch = subject.store.watch((changes) => {
        const mine = changes.filter((change) => change.project === subject.project);
        seen.push(...mine);
        for (const { traceId } of mine)
          found.push(subject.store.readTops(subject.project, [traceId]));
      });
      await watch.ready;
      const isNew = (value: boolean) => ({
        project: subject.project,
        traceId: traceIdOf(1),
        isNew: value,
      });
      await subject.append([storedSpan()]);
      await expect.poll(() => seen).toEqual([isNew(true)]);
      await subject.append([storedSpan({ id: spanIdOf(2) })]);
      await expect.poll(() => seen).toEqual([isNew(true), isNew(false)]);
      for (const tops of await Promise.all(found)) expect(tops.tops).toHaveLength(1);
      watch.stop();
      await subject.append([storedSpan({ id: spanIdOf(3) })]);
      await subject.append([storedSpan({ id: spanIdOf(4) })]);
      expect(seen).toHaveLength(2);
    });

    it("tells of a trace as new that was deleted and is written again", async () => {
      subject.fresh();
      const seen: TraceChange[] = [];
      const watch = subject.store.watch((changes) => {
        seen.push(...changes.filter((change) => change.project === subject.project));
      });
      await watch.ready;
      const isNew = { project: subject.project, traceId: traceIdOf(1), isNew: true };
      await subject.append([storedSpan()]);
      await expect.poll(() => seen).toEqual([isNew]);
      await subject.store.deleteTrace(subject.project, traceIdOf(1));
      await subject.append([storedSpan()]);
      await expect.poll(() => seen).toEqual([isNew, isNew]);
      watch.stop();
    });

    it("keeps what came last of a span that is sent again before it is acknowledged", async () => {
      subject.fresh();
      const names = Array.from({ length: 10 }, (_, n) => `name ${n}`);
      await Promise.all(names.map((name) => subject.append([storedSpan({ name })])));
      expect((await subject.readTrace())?.name).toBe("name 9");
      expect(await subject.namesOf("listSpans", {})).toEqual(["name 9"]);
    });

    it("keeps everything that many writers append at once", async () => {
      subject.fresh();
      await Promise.all(
        Array.from({ length: 200 }, (_, i) =>
          subject.append([
            storedSpan({ traceId: traceIdOf(i % 20), id: spanIdOf(i), start: i }),
            storedSpan({ traceId: traceIdOf(100 + i), id: spanIdOf(1000 + i), start: i }),
          ]),
        ),
      );
      expect((await subject.list("listSpans", {}, 1000)).items).toHaveLength(400);
      expect((await subject.list("listTraces", {}, 1000)).items).toHaveLength(220);
    });

    it("has everything after it was closed and opened again", async () => {
      subject.fresh();
      const spans = family();
      await subject.append(spans);
      await subject.store.close();
      await subject.open();
      expect(await subject.readTrace()).toEqual(expectedTree(spans));
      await subject.store.searchCaughtUp();
      expect(await subject.namesOf("listTraces", { text: "family" })).toEqual([spans[0]?.name]);
      await subject.append([storedSpan({ id: spanIdOf(50), parentId: spanIdOf(1), start: 50 })]);
      expect((await subject.readTrace())?.children).toHaveLength(3);
    });
  });
}
