import { DatabaseSync } from "node:sqlite";
import { BORDER, searchableTexts } from "@agate/spans/search";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listedPages } from "../contract/listed-pages.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanStore } from "../span-store.ts";
import { matchTerms } from "../sqlite/match-terms.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresDatabases } from "../testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";

let server: PostgresDatabases;
let address: PostgresAddress;
let store: SpanStore;
const fts5 = new DatabaseSync(":memory:");
let projects = 0;

beforeAll(async () => {
  server = await sharedPostgres();
  address = await server.createDatabase();
  store = await openPostgresStore({ address, onFailure: (error) => expect.fail(String(error)) });
  fts5.exec(
    "CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'unicode61 remove_diacritics 2')",
  );
});
afterAll(async () => {
  fts5.close();
  await store.close();
});

/** Keeps texts, each as a span and a trace of its own, in PostgreSQL and in SQLite. */
async function keep(texts: readonly string[]): Promise<string> {
  const project = `texts-${++projects}`;
  const spans = texts.map((outputs, n) =>
    storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), name: `text${n}`, outputs }),
  );
  await store.append({ project, receivedAt: 1, spans });
  await store.searchCaughtUp();
  fts5.exec("DELETE FROM texts");
  const insert = fts5.prepare("INSERT INTO texts (rowid, text) VALUES (?, ?)");
  for (const [n, outputs] of texts.entries()) {
    insert.run(n, searchableTexts({ name: `text${n}`, content: [outputs] }).join(` ${BORDER} `));
  }
  return project;
}

async function expectSame(project: string, text: string): Promise<number> {
  const terms = matchTerms(text).map(({ phrase }) => phrase);
  const rows =
    terms.length === 0
      ? []
      : fts5.prepare("SELECT rowid AS n FROM texts WHERE texts MATCH ?").all(terms.join(" "));
  const wanted = rows.map(({ n }) => `text${n}`).sort();
  for (const verb of ["listSpans", "listTraces"] as const) {
    const { items } = await store[verb]({ project, filter: { text }, limit: 1000, after: null });
    const names = items.map((item): string => JSON.parse(item).name);
    expect(names.sort(), `${verb} ${text.slice(0, 100)}`).toEqual(wanted);
  }
  return wanted.length;
}

it("finds in short texts what SQLite finds, for any search", async () => {
  const word = fc.constantFrom(
    "a",
    "b",
    "Ab",
    "á",
    "it's",
    "7-42",
    "東京",
    "京",
    "back\\slash",
    "&|!<->:*",
  );
  const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));
  const term = fc.oneof(
    word,
    text.map((words) => `"${words}"`),
    word.map((beginning) => `${beginning}*`),
  );
  const search = fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => terms.join(" "));
  const [texts] = fc.sample(fc.array(text, { minLength: 150, maxLength: 150 }), {
    seed: 6,
    numRuns: 1,
  });
  const project = await keep(texts ?? []);
  let found = 0;
  for (const one of fc.sample(search, { seed: 6, numRuns: 60 }))
    found += await expectSame(project, one);
  expect(found).toBeGreaterThan(100);
});

it("finds in texts of any length what SQLite finds", async () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`);
  // SQLite would cut a word at 32 KiB.
  const endless = "x".repeat(30_000);
  const project = await keep([
    // More than a list takes, so that it is stored in parts.
    numbered(40_000).join(" "),
    Array(2_000).fill("again and").join(" "),
    // And in many parts; then words that are longer than what is stored of one.
    numbered(20_000)
      .map((word) => `${word}${"y".repeat(100)}`)
      .join(" "),
    `${endless}a ${endless}b`,
    "short",
  ]);
  const phrase = (from: number, length: number) =>
    `"${numbered(from + length)
      .slice(from)
      .join(" ")}"`;
  const searches = [
    "w0 w39999",
    "w0 w40000",
    // Around the first cut, after 200,000 characters.
    ...[29_900, 30_100, 30_150, 30_159, 30_160, 30_161, 30_200].flatMap((from) => [
      phrase(from, 3),
      phrase(from, 130),
    ]),
    `${phrase(30_159, 3)} again`,
    '"w30159 w30161"',
    "again",
    '"and again and again"',
    '"again again"',
    `"${Array(100).fill("again and").join(" ")}"`,
    `w19999${"y".repeat(100)} w0y*`,
    `${endless}a`,
    `${endless}`,
    "xxx*",
    `"${endless}a ${endless}b"`,
    "short text4",
  ];
  for (const search of searches) await expectSame(project, search);
});

it("finds words that very many spans have, in the order of the list", async () => {
  const project = `many-${++projects}`;
  // More than 10,000 traces: with fewer, those that have a word are looked up.
  const traceOf = (n: number) => (n < 9_000 ? n : 9_000 + Math.floor((n - 9_000) / 2));
  const spans = Array.from({ length: 12_000 }, (_, n) =>
    storedSpan({
      traceId: traceIdOf(traceOf(n)),
      id: spanIdOf(n),
      name: n % 5 === 0 ? "rare common" : "common",
      start: n,
      outputs: n === 11_997 ? Array(1_000).fill("long common").join(" ") : null,
    }),
  );
  await store.append({ project, receivedAt: 1, spans });
  await store.searchCaughtUp();
  const idsOf = async (verb: "listSpans" | "listTraces", text: string) => {
    const { items } = await store[verb]({ project, filter: { text }, limit: 3, after: null });
    return items.map((item): string => JSON.parse(item)[verb === "listSpans" ? "id" : "trace_id"]);
  };
  const expectAll = async () => {
    expect(await idsOf("listSpans", "common")).toEqual([11_999, 11_998, 11_997].map(spanIdOf));
    expect(await idsOf("listSpans", "common rare")).toEqual([11_995, 11_990, 11_985].map(spanIdOf));
    expect(await idsOf("listSpans", "common long")).toEqual([spanIdOf(11_997)]);
    expect(await idsOf("listTraces", "common")).toEqual([10_499, 10_498, 10_497].map(traceIdOf));
    expect(await idsOf("listTraces", "comm*")).toEqual([10_499, 10_498, 10_497].map(traceIdOf));
    expect(await idsOf("listTraces", '"rare common"')).toEqual(
      [10_497, 10_495, 10_492].map(traceIdOf),
    );
  };
  await expectAll();
  // As an earlier version has stored some of them.
  await server.query(
    address,
    `UPDATE agate.texts SET words = to_tsvector('simple', word_list), word_list = NULL
     WHERE trace_no % 2 = 0`,
  );
  await expectAll();
});

it("finds the few spans with two words that very many have, wherever its statements end", async () => {
  const project = `spots-${++projects}`;
  const count = 24_000;
  // Places in the list, from the newest: at the ends of what is looked at first, at a time, and for a page.
  const spots = [0, 399, 400, 401, 2_399, 2_400, 2_401, 10_399, 10_400, 10_401, count - 1];
  const spans = Array.from({ length: count }, (_, place) => {
    const half = place % 2 === 0 ? "even" : "odd";
    const n = count - 1 - place;
    const name = spots.includes(place) ? "even odd" : half;
    return storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), name, start: n });
  });
  for (let at = 0; at < count; at += 8_000) {
    await store.append({ project, receivedAt: 1, spans: spans.slice(at, at + 8_000) });
  }
  await store.searchCaughtUp();
  const wanted = spots.map((place) => spanIdOf(count - 1 - place));
  for (const limit of [1, 3, 50]) {
    const request = { project, filter: { text: "odd even" }, limit };
    const pages = await listedPages(store, "listSpans", request);
    expect(pages.flat()).toEqual(wanted);
    expect(pages.length).toBeGreaterThan(2);
  }
  const request = { project, filter: { text: "odd even" }, limit: 3 };
  const traces = await listedPages(store, "listTraces", request);
  expect(traces.flat()).toEqual(spots.map((place) => traceIdOf(count - 1 - place)));
});

it.each([100, 101])("finds a beginning of 301 characters in %i traces", async (count) => {
  const stem = "x".repeat(300);
  const spansOf = (end: string, from: number) =>
    Array.from({ length: count }, (_, n) =>
      storedSpan({
        traceId: traceIdOf(from + n),
        id: spanIdOf(from + n),
        start: n,
        outputs: `${stem}${end}`,
      }),
    );
  const project = `beginnings-${++projects}`;
  const spans = [...spansOf("yes", 0), ...spansOf("no", count)];
  await store.append({ project, receivedAt: 1, spans });
  await store.append({ project: `other-${project}`, receivedAt: 1, spans });
  await store.searchCaughtUp();
  const list = { project, filter: { text: `${stem}y*` }, limit: 1_000, after: null };
  const { items } = await store.listTraces(list);
  const ids = items.map((item): string => JSON.parse(item).trace_id);
  expect(ids).toEqual(Array.from({ length: count }, (_, n) => traceIdOf(count - 1 - n)));
});

it("finds words in every day, and a span by its id without reading the others", async () => {
  const DAY = 86_400_000_000;
  const project = "days";
  const address = await server.createDatabase();
  const open = () =>
    openPostgresStore({ address, onFailure: (error) => expect.fail(String(error)) });
  const writer = await open();
  for (let day = 0; day < 12; day++) {
    const spans = Array.from({ length: 100 }, (_, n) =>
      storedSpan({
        traceId: traceIdOf(day),
        id: spanIdOf(100 * day + n),
        start: day * DAY + n,
        name: n === 7 && day % 5 === 0 ? "seldom" : "often",
      }),
    );
    await writer.append({ project, receivedAt: day * DAY, spans });
  }
  await writer.searchCaughtUp();
  const list = { project, filter: { text: "seldom" }, limit: 2, after: null };
  const page = await writer.listSpans(list);
  const rest = await writer.listSpans({ ...list, after: page.next });
  const found = [...page.items, ...rest.items].map((item): string => JSON.parse(item).id);
  expect(found).toEqual([1_007, 507, 7].map(spanIdOf));
  const traces = await writer.listTraces({ ...list, limit: 9 });
  const ids = traces.items.map((item): string => JSON.parse(item).trace_id);
  expect(ids).toEqual([10, 5, 0].map(traceIdOf));

  await writer.close();
  // What it has read is told when its connections have ended, which is a moment later.
  const others =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
  await expect.poll(() => server.query(address, others)).toEqual([]);
  await server.query(address, "SELECT pg_stat_reset()");
  const reader = await open();
  const focus = { kind: "span", spanId: spanIdOf(507) } as const;
  expect(await reader.readTree(project, focus)).toMatchObject({ kind: "assembled" });
  await reader.close();
  const read = async () => {
    const [row] = await server.query<{ rows: number }>(
      address,
      `SELECT sum(seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_user_tables
       WHERE relname LIKE 'spans_%'`,
    );
    return row?.rows;
  };
  await expect.poll(read).toBe(1);
});

it("finds words by their index alone, however few rows have any", async () => {
  const address = await server.createDatabase();
  const own = await openPostgresStore({
    address,
    onFailure: (error) => expect.fail(String(error)),
  });
  const project = "index";
  for (let n = 0; n < 5; n++) {
    const outputs = Array.from({ length: 3_000 }, (_, word) => `w${n}x${word}`).join(" ");
    const spans = [storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), outputs })];
    await own.append({ project, receivedAt: 1, spans });
  }
  await own.searchCaughtUp();
  for (const text of ["w3x2999", '"w3x2998 w3x2999"']) {
    // With another condition, no spans or traces are looked at before the index is asked.
    const request = { project, filter: { text, minLatency: 0 }, limit: 5, after: null };
    expect((await own.listSpans(request)).items).toHaveLength(1);
    expect((await own.listTraces(request)).items).toHaveLength(1);
  }
  await own.close();
  // What it has read is told when its connections have ended, which is a moment later. Each of four searches asks
  // this version's index and that of earlier ones.
  const read = `SELECT sum(seq_tup_read)::int AS all, sum(idx_scan)::int AS looked_up
    FROM pg_stat_user_tables WHERE relname LIKE 'texts_%'`;
  await expect.poll(() => server.query(address, read)).toEqual([{ all: 0, looked_up: 8 }]);
});
