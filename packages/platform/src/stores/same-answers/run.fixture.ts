import type { Score, SpanRecord } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import { expect } from "vitest";
import { expectedPreview } from "../contract/expected-preview.fixture.ts";
import { assemble, expectedTree } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { StoredScore } from "../score-store.ts";
import { unpackFrame } from "../segments/segment-frame.ts";
import type { ListPage, ListPosition, ListRequest } from "../span-query.ts";
import type { SpanBatch, SpanStore, TreeFocus } from "../span-store.ts";
import type { BatchSketch, ListSketch, ProjectNumber, Step } from "./history.fixture.ts";
import { Model } from "./model.fixture.ts";
import type { Stores } from "./stores.fixture.ts";

/** A history that is taken, step by step, by all stores and by the model of them. */
export class Run {
  readonly #stores: Stores;
  readonly #name: string;
  readonly #model = new Model();

  /** @param name Of its projects, which no other run has. */
  constructor(stores: Stores, name: string) {
    this.#stores = stores;
    this.#name = name;
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case "append":
        return this.#append(disjoint(step.batches).map((sketch) => this.#batch(sketch)));
      case "append-again": {
        const { batches } = this.#model;
        const batch = batches[step.batch % batches.length];
        return batch && this.#append([batch]);
      }
      case "score": {
        const batch = { ...step.batch, project: this.#project(step.batch.project) };
        this.#model.putScores(batch);
        const outcome = await this.#stores.same("score", (store) => store.putScores(batch));
        expect(outcome).toEqual({ kind: "committed" });
        return;
      }
      case "delete": {
        const project = this.#project(step.project);
        const traceId = traceIdOf(step.trace);
        const outcome = await this.#stores.same(step, (store) =>
          store.deleteTrace(project, traceId),
        );
        expect(outcome.kind).toBe(this.#model.delete(project, traceId) ? "deleted" : "missing");
        return;
      }
      case "expire":
        this.#model.expire(step.before);
        await this.#stores.same(step, (store) => store.expire(step.before, 1_000));
        return;
      case "reopen":
        await this.#stores.close();
        await this.#stores.open();
        return this.#model.forgetChanges();
      case "list":
        return this.#list(step.list, step.between);
      case "analytics": {
        const { analytics } = step;
        const request = this.#model.analytics(analytics, this.#project(analytics.project));
        await this.#stores.searchCaughtUp();
        await this.#stores.same(request, (store) => store.analytics(request));
        const { project, filter, groups } = request;
        const byRevision = groups && { ...groups, by: "revision" as const };
        for (const figures of [request, { ...request, groups: byRevision }]) {
          await this.#stores.same({ figures }, (store) => store.scoreFigures(figures));
        }
        await this.#stores.same({ earliest: filter }, (store) =>
          store.earliestStart({ project, filter }),
        );
      }
    }
  }

  /** Reads all that there should be, and compares it with the model as well. */
  async readEverything(): Promise<void> {
    const { traces } = this.#model;
    for (const project of [this.#project(0), this.#project(1)]) {
      const own = traces.filter((trace) => trace.project === project);
      for (const { traceId, spans } of own) {
        const tree = await this.#tree(project, { kind: "trace", traceId });
        const scores = this.#model.scoresOf(project, traceId);
        expect(tree).toEqual(judged(expectedTree([...spans.values()]), scores, true));
      }
      // Of an id that several traces have, the one that was written last is found. A span that is sent
      // again unchanged is not written by every store: which one is last then is open.
      const holders = Map.groupBy(
        own.flatMap(({ spans }) => [...spans.keys()]),
        (id) => id,
      );
      const spanIds = [...holders].filter(([, ids]) => ids.length === 1).map(([id]) => id);
      for (const spanId of [...spanIds, spanIdOf(999)]) {
        await this.#tree(project, { kind: "span", spanId });
      }
      const traceIds = [9, 2, 0, 1, 3].map(traceIdOf);
      const tops = await this.#stores.same(traceIds, (store) => store.readTops(project, traceIds));
      expect(tops.tops).toHaveLength(own.length);
      const live = own.filter(({ spans }) => [...spans.values()].every(({ run }) => run === null));
      const liveTops = await this.#stores.same({ live: traceIds }, (store) =>
        store.readTops(project, traceIds, { traffic: "live" }),
      );
      expect(liveTops.tops).toHaveLength(live.length);
      const all = { project, filter: {}, limit: 1_000, after: null };
      const listed = await this.#stores.same("all traces", (store) => store.listTraces(all));
      expect(listed.items).toHaveLength(own.length);
      const spans = await this.#stores.same("all spans", (store) => store.listSpans(all));
      expect(spans.items).toHaveLength(own.reduce((sum, trace) => sum + trace.spans.size, 0));
      const previews = await this.#stores.same("previews of all spans", (store) =>
        store.listSpans({ ...all, content: "preview" }),
      );
      expect(previews.items.map((item) => JSON.parse(item))).toEqual(
        spans.items.map((item) => expectedPreview(JSON.parse(item))),
      );
    }
    await this.#stores.told(this.#model.changes);
  }

  /** Counts and exports all that the stores hold, of other runs as well. */
  async export(): Promise<void> {
    await this.#stores.same("counts", (store) => store.countSpans());
    await this.#stores.same("export", exported);
    await this.#stores.same("counts of scores", async (store) =>
      [...(await store.countScores())].sort(),
    );
    await this.#stores.same("export of scores", exportedScores);
  }

  #project(n: ProjectNumber): string {
    return `${this.#name}-${n}`;
  }

  #batch({ project, ...rest }: BatchSketch): SpanBatch {
    return { ...rest, project: this.#project(project) };
  }

  /** All at once. */
  async #append(batches: readonly SpanBatch[]): Promise<void> {
    for (const batch of batches) this.#model.append(batch);
    const outcomes = await this.#stores.same("append", (store) =>
      Promise.all(batches.map((batch) => store.append(batch))),
    );
    expect(outcomes).toEqual(batches.map(() => ({ kind: "committed" })));
  }

  async #list(list: ListSketch, between: readonly BatchSketch[]): Promise<void> {
    const request = this.#model.request(list, this.#project(list.project));
    const waiting = between.map((sketch) => this.#batch(sketch));
    let after: ListPosition | null = null;
    do {
      const next: ListRequest = { ...request, after };
      // In the order of the stores, so that a history goes on in the same way whenever it is taken.
      const places = new Map<SpanStore, ListPosition | null>();
      await this.#stores.searchCaughtUp();
      await this.#stores.same({ [list.verb]: next }, async (store) => {
        places.set(store, null);
        const page: ListPage = await store[list.verb](next);
        places.set(store, page.next);
        // A store may have looked at spans behind the last one of the page that turned out not to match: the next
        // page may begin behind any of them.
        return { ...page, next: page.next !== null };
      });
      [after = null] = places.values();
      const batch = waiting.shift();
      if (batch !== undefined) await this.#append([batch]);
    } while (after !== null);
  }

  async #tree(project: string, focus: TreeFocus): Promise<unknown> {
    const texts = new Set<string>();
    const tree = await this.#stores.same(focus, async (store) => {
      const read = await store.readTree(project, focus);
      if (read.kind === "assembled") texts.add(Buffer.from(read.json).toString());
      if (read.kind === "frame") texts.add(Buffer.from(unpackFrame(read.zstd)).toString());
      return assemble(read);
    });
    expect([...texts].slice(1), "another text for the same tree").toEqual([]);
    return tree;
  }
}

/** A record with the scores of its spans; those of the trace are at the top. */
function judged(record: SpanRecord, scores: readonly StoredScore[], isTop: boolean): SpanRecord {
  const own = scores.filter(({ spanId }) => spanId === record.id || (isTop && spanId === null));
  const shown = own.map((score) => JSON.parse(score.record) as Score);
  return {
    ...record,
    metadata: { ...record.metadata, ...(shown.length > 0 && { scores: shown }) },
    children: record.children?.map((child) => judged(child, scores, false)) ?? null,
  };
}

/** Which of two writes that are under way at once is the last, is not said. */
function disjoint(batches: readonly BatchSketch[]): BatchSketch[] {
  const taken = new Set<string>();
  return batches.map((batch) => {
    const spans = batch.spans.filter(({ id }) => !taken.has(id));
    for (const { id } of spans) taken.add(id);
    return { ...batch, spans };
  });
}

async function exported(store: SpanStore): Promise<unknown> {
  const spans: { readonly key: string; readonly receivedAt: number; readonly span: StoredSpan }[] =
    [];
  const arrivals = new Set<number>();
  for await (const part of store.exportSpans(null)) {
    arrivals.add(part.receivedAt);
    for (const span of part.spans) {
      const key = `${part.project} ${span.traceId} ${span.id}`;
      spans.push({ key, receivedAt: part.receivedAt, span });
    }
  }
  return { spans: spans.sort((a, b) => (a.key < b.key ? -1 : 1)), arrivals: [...arrivals] };
}

async function exportedScores(store: SpanStore): Promise<unknown> {
  const all: unknown[] = [];
  for await (const { project, scores } of store.exportScores(null)) {
    all.push(...scores.map((score) => ({ project, ...score })));
  }
  return all;
}
