import type { ListedSpan, SpanRecord } from "@agate/protocol";
import { listedSpanSchema } from "@agate/protocol/schemas";
import type { StoredSpan } from "@agate/spans";
import { expect } from "vitest";
import type { ListPage, ListPosition, SpanFilter } from "../span-query.ts";
import type { SpanStore, TreeFocus } from "../span-store.ts";
import { assemble } from "./expected-tree.fixture.ts";
import { traceIdOf } from "./stored-span.fixture.ts";

type ListVerb = "listTraces" | "listSpans";

/** How a contract test wants the store to be opened. */
export interface OpenOptions {
  readonly maxSpansPerTrace?: number | undefined;
}

/** The store that a contract test looks at. Every test takes a project of its own in it. */
export class Subject {
  readonly #open: (options: OpenOptions) => Promise<SpanStore>;
  /** How many random arrivals are tried. */
  readonly arrivals: number;
  #store: SpanStore | undefined;
  #projects = 0;

  constructor(open: (options: OpenOptions) => Promise<SpanStore>, arrivals = 60) {
    this.#open = open;
    this.arrivals = arrivals;
  }

  get store(): SpanStore {
    if (this.#store === undefined) throw new Error("The store under test is not open");
    return this.#store;
  }

  get project(): string {
    return `project-${this.#projects}`;
  }

  /** Begins with nothing. */
  fresh(): void {
    this.#projects++;
  }

  async open(options: OpenOptions = {}): Promise<void> {
    this.#store = await this.#open(options);
  }

  async append(spans: readonly StoredSpan[], receivedAt = 1_000_000): Promise<void> {
    const outcome = await this.store.append({ project: this.project, receivedAt, spans });
    expect(outcome).toEqual({ kind: "committed" });
  }

  async read(focus: TreeFocus): Promise<SpanRecord | undefined> {
    return assemble(await this.store.readTree(this.project, focus));
  }

  readTrace(n = 1): Promise<SpanRecord | undefined> {
    return this.read({ kind: "trace", traceId: traceIdOf(n) });
  }

  async list(
    verb: ListVerb,
    filter: SpanFilter = {},
    limit = 100,
    after: ListPosition | null = null,
    maxBytes?: number,
  ): Promise<{ items: ListedSpan[]; next: ListPosition | null }> {
    const page: ListPage = await this.store[verb]({
      project: this.project,
      filter,
      limit,
      after,
      ...(maxBytes !== undefined && { maxBytes }),
    });
    const items = page.items.map((item) => listedSpanSchema.parse(JSON.parse(item)));
    return { items, next: page.next };
  }

  async namesOf(verb: ListVerb, filter: SpanFilter): Promise<string[]> {
    return (await this.list(verb, filter)).items.map((item) => item.name);
  }
}
