import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSpanStore } from "../../packages/platform/src/stores/open-span-store.ts";
import { SCORE_PART_LIMITS } from "../../packages/platform/src/stores/score-parts.ts";
import { MOST_SCORES_PER_TRACE } from "../../packages/platform/src/stores/score-store.ts";
import { parseStoreAddress } from "../../packages/platform/src/stores/store-address.ts";
import {
  sharedChdb,
  sharedPostgres,
} from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { type ServerOptions, startServer } from "../running-server.ts";
import { sendOtlp } from "../send-otlp.ts";
import { sendSpans } from "../sent-span.ts";
import { migrate, sendTraces, sentSpan, traceIdOf } from "./migrating.ts";

const TRACES = 50;
/** Of an evaluation run; they come after those of {@link sendTraces}. */
const RUN_TRACES = 5;
/** Judged before any span of them arrives; the first has more scores than a part of an export. */
const EARLY = [200, 201, 202];
const EARLY_SCORES = SCORE_PART_LIMITS.scores + 1;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-migration-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface SentScore {
  readonly trace: number;
  readonly span?: number;
  readonly name?: string;
  readonly value?: number | null;
  readonly [field: string]: unknown;
}

async function judge(url: string, scores: readonly SentScore[]): Promise<void> {
  const body = scores.map(({ trace, span, ...rest }) => ({
    trace_id: traceIdOf(trace),
    ...(span !== undefined && { span_id: sentSpan(trace, span).spanId }),
    name: "helpful",
    value: 1,
    ...rest,
  }));
  const response = await fetch(`${url}/observability/scores/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ scores: body }),
  });
  expect(response.status, await response.text()).toBe(200);
}

async function fill(url: string): Promise<void> {
  const [first = 0, ...others] = EARLY;
  const early = Array.from({ length: EARLY_SCORES }, (_, trial) => ({ trace: first, trial }));
  await judge(url, early.slice(1));
  await judge(url, [...early.slice(0, 1), ...others.map((trace) => ({ trace, value: 0.1 }))]);
  await sendTraces(url, TRACES);
  // 12 MB in one trace, which is as full as it may be: three parts of an export, by their bytes.
  const explanation = "東".repeat(4_000);
  for (const first of [0, MOST_SCORES_PER_TRACE / 2]) {
    const scores = Array.from({ length: MOST_SCORES_PER_TRACE / 2 }, (_, n) => ({
      trace: 0,
      span: n % 7,
      trial: first + n,
      explanation,
    }));
    await judge(url, scores);
  }
  for (let trace = 1; trace < TRACES; trace++) {
    const thumb = { trace, source: { kind: "end_user", person: "ann" } };
    // The second replaces the first.
    await judge(url, [{ ...thumb, value: 0 }]);
    await judge(url, [
      { ...thumb, value: 1, label: 'yes "ä"', metadata: { page: [1, null] } },
      {
        trace,
        span: 3,
        name: "safe",
        value: trace / 7,
        run: "r1",
        case: "é",
        column: "a",
        trial: 2,
      },
      { trace, span: 39, name: "tone", value: null, label: "calm" },
      { trace, name: "slow", value: null, status: trace % 2 ? "failed" : "skipped", error: "429" },
      // A span that never comes, in a trace that is there.
      { trace, span: 70, name: "lost" },
    ]);
  }
  await sendOtlp(
    url,
    Array.from({ length: RUN_TRACES }, (_, n) => ({
      traceId: traceIdOf(TRACES + n),
      spanId: sentSpan(TRACES + n, 0).spanId,
      name: "candidate",
      start: 1_790_000_000_000 + n,
      end: 1_790_000_000_010 + n,
      attributes: { "ag.evaluation.run": n % 2 ? "r1" : "r2", "ag.evaluation.case": "one" },
    })),
  );
}

const RANGE = "from=2026-09-20T00:00:00Z&to=2026-09-24T00:00:00Z&interval=1d";
const QUESTIONS = [
  ...["traffic=evaluation", "run=r1", "score=helpful>=1", "score=safe<2", "score=slow:failed"].map(
    (filter) => `traces/?limit=100&${filter}`,
  ),
  "spans/?limit=100&score=lost:any",
  "spans/?limit=100&score=tone:any",
  `analytics/?${RANGE}&group_by=status`,
  `analytics/scores/?${RANGE}&group_by=name`,
  `analytics/scores/?${RANGE}&traffic=all`,
];

/** How a server is started that keeps its spans there. */
function placeOf(store: string): ServerOptions {
  const [, dataDirectory] = /^sqlite:(.*)/.exec(store) ?? [];
  return dataDirectory === undefined ? { flags: ["--store", store] } : { dataDirectory };
}

/** What a server answers that keeps its spans there. */
async function answersOf(store: string): Promise<unknown[]> {
  await using server = await startServer(placeOf(store));
  const read = async (path: string) => {
    const response = await fetch(`${server.url}/observability/${path}`);
    expect([path, response.status]).toEqual([path, 200]);
    return response.json();
  };
  const answers: unknown[] = [];
  for (const question of QUESTIONS) answers.push([question, await read(question)]);
  for (let trace = 0; trace < TRACES + RUN_TRACES; trace++) {
    answers.push(await read(`traces/${traceIdOf(trace)}/`));
  }
  return answers;
}

/** Every score as it is stored, with the time of its arrival. */
async function scoresIn(address: string): Promise<unknown[]> {
  const parsed = parseStoreAddress(address);
  if (parsed.kind === "invalid") throw new Error(parsed.reason);
  const store = await openSpanStore(parsed.address, {
    onFailure: (error) => {
      throw error;
    },
  });
  try {
    const all: unknown[] = [];
    for await (const { project, scores } of store.exportScores(null)) {
      all.push(...scores.map((score) => ({ project, ...score })));
    }
    return all;
  } finally {
    await store.close();
  }
}

it("copies every score between all pairs of stores, with those of missing spans, and runs", async () => {
  const [postgres, clickHouse] = await Promise.all([sharedPostgres(), sharedChdb()]);
  const sqlite = (name: string) => `sqlite:${join(folder, name)}`;
  const first = sqlite("first");
  {
    await using server = await startServer({ dataDirectory: join(folder, "first") });
    await fill(server.url);
    expect(await server.stop()).toBe(0);
  }
  // Each of the six ways from one store to another once.
  const stores = [
    first,
    (await postgres.createDatabase()).url,
    clickHouse.url("agate_scores_one"),
    sqlite("second"),
    clickHouse.url("agate_scores_two"),
    (await postgres.createDatabase()).url,
    sqlite("last"),
  ];
  const stored = await scoresIn(first);
  const count = EARLY_SCORES + EARLY.length - 1 + MOST_SCORES_PER_TRACE + 5 * (TRACES - 1);
  expect(stored).toHaveLength(count);
  const wanted = await answersOf(first);
  for (const [n, to] of stores.slice(1).entries()) {
    const from = stores[n] as string;
    const args = ["env:FROM", "env:TO", "--state", join(folder, `${n}.json`), "--json"];
    const { code, stdout, stderr } = await migrate(args, { folder, env: { FROM: from, TO: to } });
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({
      copied_scores: count,
      projects: [{ from: { scores: count }, to: { scores: count } }],
      differing_traces: [],
    });
    expect(await scoresIn(to), `from ${from} to ${to}`).toEqual(stored);
    expect(await answersOf(to), `from ${from} to ${to}`).toEqual(wanted);
  }
  // In the last one, the spans that were judged early arrive.
  await using server = await startServer(placeOf(sqlite("last")));
  for (const trace of EARLY) {
    expect(await sendSpans(server.url, [sentSpan(trace, 0)])).toBe(200);
    const response = await fetch(`${server.url}/observability/traces/${traceIdOf(trace)}/`);
    const { metadata } = (await response.json()) as { metadata: { scores: unknown[] } };
    expect(metadata.scores).toHaveLength(trace === EARLY[0] ? EARLY_SCORES : 1);
  }
});
