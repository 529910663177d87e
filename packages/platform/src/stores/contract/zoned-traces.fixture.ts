import fc from "fast-check";
import type { SpanFilter } from "../span-query.ts";
import type { ListVerb } from "./listed-pages.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "./stored-span.fixture.ts";

/** One trace in so many stands out. */
const RARE = 300;

interface ZonedTraces {
  /** How many there are. */
  readonly count: number;
  /** The name of some calls, which the store keeps in another form. */
  readonly strangeName: string;
}

/** A trace of two spans or more. Most are alike; a few stand out. */
export function zonedTrace(n: number, { count, strangeName }: ZonedTraces) {
  const isRare = n % RARE === 7;
  const traceId = traceIdOf(n);
  // Mostly in the order of their numbers; some started long before, or claim to.
  const start = n % 50 === 3 ? (n * 7_919) % (100 * count) : 100 * n;
  const top = storedSpan({
    traceId,
    id: spanIdOf(10 * n),
    start,
    latency: isRare ? 5_000 : (n * 31) % 1_000,
    kind: isRare ? "GUARDRAIL" : "WORKFLOW",
    status: n % 9 === 0 ? "ERROR" : "OK",
    application: n % 2 === 0 ? "chat" : "search",
    route: isRare ? "/rare" : "/generate",
    variant: `v${n % 3}`,
    revision: isRare ? 99 : n % 5,
    environment: n % 70 === 1 ? "staging" : "production",
    run: n % 40 === 5 ? "run" : null,
  });
  const call = storedSpan({
    traceId,
    id: spanIdOf(10 * n + 1),
    parentId: top.id,
    start: start + 1,
    name: ["chat", "search", strangeName][n % 3] as string,
    latency: n % 11 === 0 ? null : n % 700,
    kind: n % 200 === 9 ? "EMBEDDING" : "LLM",
    inputs: isRare ? "seldom common" : "common",
    figures: { cost: isRare ? 3 : (n % 100) / 1_000, usage: null, role: "own" },
  });
  // So that traces begin and end at any place of a zone.
  const others = Array.from({ length: n % 4 }, (_, m) => {
    const latency = (n * 13 + m * 101) % 1_500;
    return storedSpan({ traceId, id: spanIdOf(10 * n + 5 + m), parentId: top.id, start, latency });
  });
  return [top, call, ...others] as const;
}

/** What makes early zones change: a top that comes late, a call that costs much, a span that is sent again. */
export function zonedChanges(n: number, traces: ZonedTraces) {
  const [top, call] = zonedTrace(n, traces);
  const [traceId, id] = [top.traceId, spanIdOf(10 * n + 2)];
  const above = storedSpan({ traceId, id, latency: 7_777, kind: "AGENT" });
  return [
    above,
    storedSpan({ ...top, parentId: above.id, start: 1_000_000, status: "UNSET" }),
    storedSpan({ ...call, start: n, figures: { cost: 50, usage: null, role: "own" } }),
  ].filter((_, which) => which !== n % 3);
}

/** What all, many, few or none of the traces have; any of these make a filter. */
export function zonedConditions(strangeName: string) {
  return {
    spankind: fc.constantFrom("WORKFLOW", "GUARDRAIL", "LLM", "EMBEDDING", "AGENT", "RETRIEVER"),
    name: fc.constantFrom("chat", "search", "span", strangeName, "absent"),
    status: fc.constantFrom("OK", "ERROR", "UNSET"),
    application: fc.constantFrom("chat", "none"),
    route: fc.constantFrom("/rare", "/generate", "/none"),
    variant: fc.constantFrom("v1", "v9"),
    revision: fc.constantFrom(1, 99, 7),
    environment: fc.constantFrom("staging", "production", "absent"),
    minLatency: fc.constantFrom(0, 500, 999, 5_000, 5_001),
    minCost: fc.constantFrom(0, 0.05, 3, 3.5),
    traffic: fc.constantFrom("live", "evaluation"),
    startedFrom: fc.constantFrom(0, 30_000).map(at),
    startedBefore: fc.constantFrom(20_000, 60_000).map(at),
  } as const satisfies { readonly [Key in keyof SpanFilter]: fc.Arbitrary<SpanFilter[Key]> };
}

export const verbs = fc.constantFrom<ListVerb[]>("listTraces", "listSpans");

function at(start: number): number {
  return storedSpan({ start }).start;
}
