import type { StoredSpan } from "@agate/spans";
import fc from "fast-check";
import { expect, it } from "vitest";
import { expectedTree, withoutChildren } from "./expected-tree.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

interface SpanStep {
  readonly id: number;
  readonly version: number;
}

type Step =
  | { readonly kind: "send"; readonly trace: number; readonly spans: readonly SpanStep[] }
  | { readonly kind: "delete"; readonly trace: number };

/** Bytes of a version's content: a batch of the long ones makes several segments of 128 KiB. */
const CONTENT_BYTES = [0, 300, 5_000, 50_000];
const SPANS = 10;

function steps(): fc.Arbitrary<Step[]> {
  const trace = fc.integer({ min: 1, max: 2 });
  const span = fc.record({
    id: fc.integer({ min: 1, max: SPANS }),
    version: fc.nat(CONTENT_BYTES.length * 2 - 1),
  });
  const spans = fc.uniqueArray(span, { minLength: 1, maxLength: SPANS, selector: ({ id }) => id });
  const send = fc.record({ kind: fc.constant("send" as const), trace, spans });
  const remove = fc.record({ kind: fc.constant("delete" as const), trace });
  return fc.array(fc.oneof({ weight: 9, arbitrary: send }, { weight: 1, arbitrary: remove }), {
    minLength: 3,
    maxLength: 9,
  });
}

/** Some of a version's fields differ from those of others: its parent, order, figures and length. */
function spanOf(trace: number, { id, version }: SpanStep): StoredSpan {
  return storedSpan({
    traceId: traceIdOf(trace),
    id: spanIdOf(trace * 100 + id),
    parentId: id === 1 ? null : spanIdOf(trace * 100 + (version % 2 === 0 ? 1 : id - 1)),
    start: version + id,
    figures: { role: "own", usage: usageOf(version, 1), cost: null },
    name: `version${version}`,
    inputs: "ä".repeat((CONTENT_BYTES[version % CONTENT_BYTES.length] ?? 0) / 2),
  });
}

/**
 * Segments that are compacted while spans are sent again.
 *
 * @param compacted Resolves when no segment is left to be compacted.
 */
export function describeCompaction(subject: Subject, compacted: () => Promise<void>): void {
  it("changes nothing of what is read, after any spans were sent again and deleted", async () => {
    await fc.assert(
      fc.asyncProperty(steps(), async (all) => {
        subject.fresh();
        const model = new Map<number, Map<string, StoredSpan>>();
        for (const step of all) {
          await take(subject, model, step);
          await compacted();
          await expectModel(subject, model);
        }
        await expectFoundAndExported(subject, model);
      }),
      { seed: 16, numRuns: subject.arrivals, endOnFailure: true },
    );
  }, 120_000);
}

async function take(
  subject: Subject,
  model: Map<number, Map<string, StoredSpan>>,
  step: Step,
): Promise<void> {
  if (step.kind === "delete") {
    model.delete(step.trace);
    await subject.store.deleteTrace(subject.project, traceIdOf(step.trace));
    return;
  }
  const spans = step.spans.map((span) => spanOf(step.trace, span));
  const known = model.get(step.trace) ?? new Map<string, StoredSpan>();
  for (const span of spans) known.set(span.id, span);
  model.set(step.trace, known);
  await subject.append(spans);
}

async function expectModel(
  subject: Subject,
  model: ReadonlyMap<number, ReadonlyMap<string, StoredSpan>>,
): Promise<void> {
  const tops = [];
  const ids = [];
  for (const [trace, spans] of model) {
    const wanted = expectedTree([...spans.values()]);
    tops.push(withoutChildren(wanted));
    expect(await subject.readTrace(trace)).toEqual(wanted);
    for (const spanId of spans.keys()) {
      ids.push(spanId);
      expect((await subject.read({ kind: "span", spanId }))?.id).toBe(spanId);
    }
  }
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  const traces = (await subject.list("listTraces")).items;
  expect(traces.toSorted(byId)).toEqual(tops.toSorted(byId));
  const read = await subject.store.readTops(subject.project, [...model.keys()].map(traceIdOf));
  expect(read.tops.map((top) => JSON.parse(top))).toEqual(tops);
  const listed = (await subject.list("listSpans", {}, 1_000)).items;
  expect(listed.map(({ id }) => id).sort()).toEqual(ids.sort());
  for (const item of listed) expect(item.name).toBe(recordIn(model, item.id).name);
}

async function expectFoundAndExported(
  subject: Subject,
  model: ReadonlyMap<number, ReadonlyMap<string, StoredSpan>>,
): Promise<void> {
  const current = [...model.values()].flatMap((spans) => [...spans.values()]);
  await subject.store.searchCaughtUp();
  for (const text of new Set(current.map(({ name }) => name))) {
    const found = (await subject.list("listSpans", { text }, 1_000)).items.map(({ id }) => id);
    const wanted = current.filter(({ name }) => name === text).map(({ id }) => id);
    expect(found.sort()).toEqual(wanted.sort());
  }
  const exported: StoredSpan[] = [];
  for await (const part of subject.store.exportSpans(null)) {
    if (part.project === subject.project) exported.push(...part.spans);
  }
  const byId = (a: StoredSpan, b: StoredSpan) => (a.id < b.id ? -1 : 1);
  expect(exported.toSorted(byId)).toEqual(current.toSorted(byId));
}

function recordIn(
  model: ReadonlyMap<number, ReadonlyMap<string, StoredSpan>>,
  id: string,
): StoredSpan {
  for (const spans of model.values()) {
    const span = spans.get(id);
    if (span !== undefined) return span;
  }
  throw new Error(`The model has no span ${id}`);
}
