import { during, getRequest, httpLoad } from "./http-load.ts";
import { word } from "./loads/prose.ts";
import type { Line } from "./report.ts";
import { ratio } from "./report.ts";
import { percentile } from "./stores/percentile.ts";

const ROUND_MS = 5_000;
const WARM_UP_MS = 500;
/** Lists and searches that run at a time. */
const CONNECTIONS = 2;
/** Spans whose ids are asked for. */
const SPANS = 500;

/**
 * What lists, filters, searches and spans by their id take in a large store, and what reads of traces and `/health`
 * take beside them.
 */
export async function measureQueries(port: number, traceIds: readonly string[]): Promise<Line[]> {
  const spanIds = await spanIdsOf(port, traceIds);
  const trace = () => `/observability/traces/${oneOf(traceIds)}/`;
  const alone = await slowest(port, 4, trace);
  const health = await slowest(port, 1, () => "/health");
  const lines: Line[] = [];
  for (const [what, path] of casesOf(spanIds)) {
    await slowest(port, CONNECTIONS, path, WARM_UP_MS);
    const own = await slowest(port, CONNECTIONS, path);
    const [, beside, healthBeside] = await Promise.all([
      slowest(port, CONNECTIONS, path),
      slowest(port, 4, trace),
      slowest(port, 1, () => "/health"),
    ]);
    lines.push({
      what,
      measured: `95 of 100 within ${own.toFixed(1)} ms`,
      reference: `trace reads beside it ${beside.toFixed(1)} ms instead of ${alone.toFixed(1)}, /health ${healthBeside.toFixed(1)} instead of ${health.toFixed(1)}`,
      ratio: ratio(own / 100),
      target: "≤ 1 (100 ms)",
    });
  }
  return lines;
}

function casesOf(spanIds: readonly string[]): readonly (readonly [string, () => string])[] {
  const traces = (query: string) => `/observability/traces/?${query}`;
  const spans = (query: string) => `/observability/spans/?${query}`;
  return [
    ["the newest 50 traces", () => traces("limit=50")],
    ["the newest 50 model calls", () => spans("spankind=LLM&limit=50")],
    ["traces of a user who is not there", () => traces("user_id=absent")],
    ["traces with a name that none has", () => traces("name=absent")],
    ["spans with a name that none has", () => spans("name=absent")],
    ["traces that took longer than any", () => traces("min_latency=100000000")],
    ["spans that took longer than any", () => spans("min_latency=100000000")],
    ["traces that cost more than any", () => traces("min_cost=1000000")],
    ["spans of a kind that none has", () => spans("spankind=RERANKER")],
    // Both are common, but no span has both.
    ["tool calls that cost something", () => spans("spankind=TOOL&min_cost=0.000001")],
    ["model calls with the name of a task", () => spans("spankind=LLM&name=render_prompt")],
    ["tool calls that took longer than any", () => spans("spankind=TOOL&min_latency=100000000")],
    ["model calls in production", () => spans("spankind=LLM&environment=production")],
    [
      "failed traces with a variant that none of them has",
      () => traces("status=ERROR&variant=short-answers"),
    ],
    ["spans of an environment that is not there", () => spans("environment=absent")],
    ["traces with the most common word", () => traces(`q=${word(0)}`)],
    ["spans with the most common word", () => spans(`q=${word(0)}`)],
    ["traces with two common words", () => traces(`q=${word(1)}+${word(2)}`)],
    ["traces with a word that none has", () => traces("q=zzzabsentzzz")],
    ["a span by its id", () => `/observability/spans/${oneOf(spanIds)}/`],
  ];
}

/** The time that 95 of 100 answers do not exceed, in milliseconds. */
async function slowest(
  port: number,
  connections: number,
  path: () => string,
  ms = ROUND_MS,
): Promise<number> {
  const times: number[] = [];
  await httpLoad({
    port,
    connections,
    next: during(ms, () => getRequest(path())),
    onAnswer: (milliseconds) => times.push(milliseconds),
  });
  return percentile(times, 0.95);
}

/** The last spans of some traces. */
async function spanIdsOf(port: number, traceIds: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const id of traceIds.slice(0, SPANS)) {
    const answer = await fetch(`http://127.0.0.1:${port}/observability/traces/${id}/`);
    ids.push([...(await answer.text()).matchAll(/"id":"([0-9a-f]{16})"/g)].at(-1)?.[1] as string);
  }
  return ids;
}

function oneOf<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item;
}
