import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore } from "../span-store.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { toLoggedRow } from "../to-logged-row.ts";
import { openPostgresStore } from "./postgres-store.ts";

const TRACES = 3;
/** Few, so that spans are replaced often. */
const SPANS = 12;
const TEXTS = ["red fox", "blue fox", "a red sky", "night", "night sky", "7"];
const SEARCHES = ["red", "fox", "sky", "night", "7", '"red fox"', '"red sky"', "red night", "n*"];
/** Enough batches of a trace to pass the border between two groups of 32 segments. */
const MOST_STEPS = 160;

interface Sent {
  readonly trace: number;
  readonly span: number;
  readonly inputs: readonly string[] | null;
}

type Step =
  | { readonly kind: "append"; readonly server: number; readonly spans: readonly Sent[] }
  | { readonly kind: "log"; readonly trace: number; readonly span: number; readonly text: string }
  | { readonly kind: "delete"; readonly trace: number }
  | { readonly kind: "index"; readonly server: number }
  | { readonly kind: "search" };

const text = fc.constantFrom(...TEXTS);
const server = fc.constantFrom(0, 1);
const place = { trace: fc.nat(TRACES - 1), span: fc.nat(SPANS - 1) };
const sent = fc.record({ ...place, inputs: fc.option(fc.array(text, { maxLength: 3 })) });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.record({
      kind: fc.constant("append" as const),
      server,
      spans: fc.uniqueArray(sent, {
        minLength: 1,
        maxLength: 4,
        selector: (one) => one.trace * SPANS + one.span,
      }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("log" as const), ...place, text }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("delete" as const), trace: place.trace }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("index" as const), server }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("search" as const) }) },
);

/** What is stored: the texts of spans, and content that was logged for them, by trace and span. */
class Model {
  readonly #spans = new Map<string, readonly string[] | null>();
  readonly #logged = new Map<string, string>();

  apply(change: Step): void {
    if (change.kind === "append") {
      for (const { trace, span, inputs } of change.spans)
        this.#spans.set(`${trace} ${span}`, inputs);
    } else if (change.kind === "log") {
      this.#logged.set(`${change.trace} ${change.span}`, change.text);
    } else if (change.kind === "delete") {
      for (const all of [this.#spans, this.#logged]) {
        for (const key of all.keys()) if (key.startsWith(`${change.trace} `)) all.delete(key);
      }
    }
  }

  /** Of several contents of a span, the order of their ids would decide. */
  isLogged({ trace, span }: { readonly trace: number; readonly span: number }): boolean {
    return this.#logged.has(`${trace} ${span}`);
  }

  found(search: string): { readonly spans: string[]; readonly traces: string[] } {
    const terms = search.match(/"[^"]*"|\S+/g) ?? [];
    const byTrace = Map.groupBy(this.#spans, ([key]) => key.split(" ")[0] as string);
    const textsOf = ([key, own]: readonly [string, readonly string[] | null]) =>
      own ?? [this.#logged.get(key) ?? ""];
    const has = (texts: readonly string[], term: string) =>
      texts.some((one) => {
        if (term.endsWith("*")) return one.split(" ").some((w) => w.startsWith(term.slice(0, -1)));
        return ` ${one} `.includes(` ${term.replaceAll('"', "")} `);
      });
    const isFound = (texts: readonly string[]) => terms.every((term) => has(texts, term));
    return {
      spans: [...this.#spans].filter((one) => isFound(textsOf(one))).map(([key]) => key),
      traces: [...byTrace].filter(([, all]) => isFound(all.flatMap(textsOf))).map(([key]) => key),
    };
  }
}

let servers: SpanStore[] = [];
beforeAll(async () => {
  const address = await (await sharedPostgres()).createDatabase();
  const onFailure = (error: unknown) => expect.fail(String(error));
  const open = () => openPostgresStore({ address, onFailure });
  servers = await Promise.all([open(), open()]);
});
afterAll(() => Promise.all(servers.map((one) => one.close())));

let projects = 0;

async function carryOut(project: string, change: Step): Promise<void> {
  if (change.kind === "append") {
    const spans = change.spans.map(({ trace, span, inputs }) =>
      storedSpan({
        traceId: traceIdOf(trace),
        id: spanIdOf(span),
        name: `t${trace}x${span}`,
        inputs,
      }),
    );
    const outcome = await servers[change.server]?.append({ project, receivedAt: 1, spans });
    expect(outcome).toEqual({ kind: "committed" });
  } else if (change.kind === "log") {
    const content = { inputs: JSON.stringify(change.text), outputs: null, asked: [], answered: [] };
    const at = { project, traceId: traceIdOf(change.trace), spanId: spanIdOf(change.span) };
    const row = toLoggedRow(content, { ...at, loggedAt: 1, receivedAt: 1_000_000 });
    await servers[0]?.putScores({ project, scores: row === undefined ? [] : [row] });
  } else if (change.kind === "delete") {
    await servers[0]?.deleteTrace(project, traceIdOf(change.trace));
  } else if (change.kind === "index") {
    await servers[change.server]?.searchCaughtUp();
  }
}

async function expectFound(project: string, model: Model): Promise<void> {
  await servers[0]?.searchCaughtUp();
  for (const search of SEARCHES) {
    const request = { project, filter: { text: search }, limit: 1_000, after: null };
    const spans = (await servers[1]?.listSpans(request))?.items.map((item) => JSON.parse(item));
    const traces = (await servers[1]?.listTraces(request))?.items.map((item) => JSON.parse(item));
    const wanted = model.found(search);
    const keys = spans?.map(({ name }) => String(name).slice(1).replace("x", " "));
    expect(keys?.toSorted(), `spans ${search}`).toEqual(wanted.spans.toSorted());
    const traceKeys = traces?.map(({ name }) => String(name).slice(1).split("x")[0]);
    expect(traceKeys?.toSorted(), `traces ${search}`).toEqual(wanted.traces.toSorted());
  }
}

it("finds what spans say now, whichever servers wrote and indexed them", async () => {
  const runs = fc.asyncProperty(
    fc.array(step, { minLength: 40, maxLength: MOST_STEPS, size: "max" }),
    async (steps) => {
      const project = `project-${++projects}`;
      const model = new Model();
      for (const change of steps) {
        if (change.kind === "log" && model.isLogged(change)) continue;
        await carryOut(project, change);
        model.apply(change);
        if (change.kind === "search") await expectFound(project, model);
      }
      await expectFound(project, model);
    },
  );
  await fc.assert(runs, { numRuns: 15, seed: 20261118, endOnFailure: true });
}, 300_000);
