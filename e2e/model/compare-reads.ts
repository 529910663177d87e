import type { ListContent } from "@agate/protocol";
import { expect } from "vitest";
import { expectedPreview } from "../../packages/platform/src/stores/contract/expected-preview.fixture.ts";
import { type AnalyticsQuestion, expectedAnalytics } from "./expected-analytics.ts";
import { expectedScoreAnalytics, type ScoreQuestion } from "./expected-score-analytics.ts";
import type { PlacedSpan } from "./expected-tree.ts";
import { firstDifference } from "./first-difference.ts";
import type { Filter, NaiveModel } from "./naive-model.ts";
import type { PlatformClient } from "./platform-client.ts";

/** When an answer must be right: at once, or as soon as the search index or a summary has caught up. */
export type When = "now" | "soon";

/** A walk through a whole list may take more than a minute where the machine is busy. */
const PATIENTLY = { interval: 20, timeout: 180_000 };

/** Compares what a platform answers with what its model says. */
export class ReadComparison {
  readonly #client: PlatformClient;
  readonly #model: NaiveModel;

  constructor(client: PlatformClient, model: NaiveModel) {
    this.#client = client;
    this.#model = model;
  }

  /** The whole tree of a trace, or that there is none. */
  async trace(traceId: string): Promise<void> {
    const expected = this.#model.spansOf(traceId).length > 0 ? this.#model.tree(traceId) : null;
    await this.#tree(`traces/${traceId}`, expected);
  }

  async span(traceId: string, spanId: string): Promise<void> {
    await this.#tree(`spans/${spanId}`, this.#model.subtree(traceId, spanId));
  }

  async list(kind: "traces" | "spans", filter: Filter, limit: number, when: When): Promise<void> {
    const found =
      kind === "traces" ? this.#model.listTraces(filter) : this.#model.listSpans(filter);
    // Of the limits that are asked for, about half are odd.
    const content: ListContent = limit % 2 === 0 ? "full" : "preview";
    const expected = found.map(({ record }) =>
      content === "full" ? record : expectedPreview(record),
    );
    const asked = { ...filter, limit: String(limit), content };
    await this.#compare(`/${kind}/ ${JSON.stringify(asked)}`, when, async () => {
      const { items, pages } = await this.#client.readList(kind, asked);
      const tooLong = pages.find((length) => length > limit);
      if (tooLong !== undefined) return `a page of ${tooLong} items`;
      return (
        firstDifference(items.map(idOf), expected.map(idOf)) ?? firstDifference(items, expected)
      );
    });
  }

  /** While others write, each record that was there at first is listed once, and in its place. */
  async listWhile(
    kind: "traces" | "spans",
    limit: number,
    between: () => Promise<void>,
  ): Promise<void> {
    const before = kind === "traces" ? this.#model.listTraces({}) : this.#model.listSpans({});
    const expected = before.map(({ record }) => idOf(record));
    const { items } = await this.#client.readList(kind, { limit: String(limit) }, between);
    const listed = items.map(idOf);
    const message = `/${kind}/ with limit ${limit} while traces arrive`;
    expect(new Set(listed).size, `${message} lists nothing twice`).toBe(listed.length);
    const known = new Set(expected);
    const found = listed.filter((id) => known.has(id));
    expect(firstDifference(found, expected), message).toBeUndefined();
  }

  async analytics(question: AnalyticsQuestion, when: When): Promise<void> {
    const expected = expectedAnalytics(this.#model, question);
    await this.#figures("analytics/", question, expected, when);
  }

  async scoreAnalytics(question: ScoreQuestion, when: When): Promise<void> {
    const expected = expectedScoreAnalytics(this.#model, question);
    await this.#figures("analytics/scores/", question, expected, when);
  }

  async #figures(of: string, question: ScoreQuestion, expected: object, when: When): Promise<void> {
    const { filter, from, to, interval, groupBy, groupLimit } = question;
    const query = new URLSearchParams({
      ...filter,
      from: new Date(from * 1000).toISOString(),
      to: new Date(to * 1000).toISOString(),
      interval: interval.name,
      ...(groupBy !== null && { group_by: groupBy, group_limit: String(groupLimit) }),
    });
    const path = `/observability/${of}?${query}`;
    await this.#compare(path, when, async () =>
      firstDifference(await this.#client.get(path), expected),
    );
  }

  async #tree(path: `traces/${string}` | `spans/${string}`, expected: PlacedSpan[] | null) {
    const records = expected?.map((placed) => ({
      record: this.#model.record(placed, placed.depth === 0),
      depth: placed.depth - expected[0]!.depth,
    }));
    await this.#compare(`/${path}/`, "now", async () =>
      firstDifference(await this.#client.readTree(path), records ?? null),
    );
  }

  async #compare(question: string, when: When, difference: () => Promise<string | undefined>) {
    const message = `what the platform answers to ${question}`;
    if (when === "now") expect(await difference(), message).toBeUndefined();
    else await expect.poll(difference, { message, ...PATIENTLY }).toBeUndefined();
  }
}

function idOf(record: object): unknown {
  return "id" in record ? record.id : undefined;
}
