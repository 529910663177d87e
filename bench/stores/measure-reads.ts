import { randomInt } from "node:crypto";
import { during, getRequest, httpLoad } from "../http-load.ts";
import { USERS } from "../loads/load.ts";
import { word } from "../loads/prose.ts";
import { APPLICATIONS } from "../loads/trace-plans.ts";
import { processorSeconds } from "../process-tree.ts";
import type { ReadFigures } from "./figures.ts";
import { percentile } from "./percentile.ts";
import type { Workload } from "./workload.ts";

const WARM_UP_MS = 500;
const ROUND_MS = 3_000;

/** Ids that were sent, a sample of all. */
export interface SentIds {
  readonly traces: readonly string[];
  readonly spans: readonly string[];
}

interface ReadCase {
  readonly what: string;
  readonly connections: number;
  /** Another one at each call, so that no answer is at hand. */
  readonly path: () => string;
}

/** Asks the server for each kind of answer for some seconds. */
export async function measureReads(
  port: number,
  pids: readonly number[],
  workload: Workload,
  ids: SentIds,
): Promise<ReadFigures[]> {
  const used = () => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0);
  const figures: ReadFigures[] = [];
  for (const { what, connections, path } of readCases(workload, ids)) {
    await checkAnswers(port, what, path);
    const next = (milliseconds: number) => during(milliseconds, () => getRequest(path()));
    await httpLoad({ port, connections, next: next(WARM_UP_MS) });
    const times: number[] = [];
    const before = used();
    const { answers, perSecond } = await httpLoad({
      port,
      connections,
      next: next(ROUND_MS),
      onAnswer: (milliseconds) => times.push(milliseconds),
    });
    const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
    const micros = ((used() - before) * 1e6) / answers;
    figures.push({ what, connections, perSecond, p50, p95, micros });
  }
  return figures;
}

/** How often one may ask for a word or a user that happen not to be there. */
const ATTEMPTS = 50;

// A figure for answers with nothing in them would be none.
async function checkAnswers(port: number, what: string, path: () => string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answer = await fetch(`http://127.0.0.1:${port}${path()}`);
    const { items, total, children } = (await answer.json()) as {
      items?: readonly unknown[];
      total?: { count: number };
      children?: unknown;
    };
    if (answer.ok && (items?.length ?? total?.count ?? (children === undefined ? 0 : 1)) > 0)
      return;
  }
  throw new Error(`Nothing is found: ${what}`);
}

function readCases(workload: Workload, ids: SentIds): readonly ReadCase[] {
  const trace = () => `/observability/traces/${oneOf(ids.traces)}/`;
  const traces = (query: string) => `/observability/traces/?${query}`;
  // A moment of the day's second half: there is at least half a day to look through.
  const day = 86_400_000;
  const until = workload.until / 1000;
  const moment = () => new Date(until - randomInt(day / 2)).toISOString();
  const hour = () => {
    const to = until - randomInt(day / 2);
    return `from=${new Date(to - day / 24).toISOString()}&to=${new Date(to).toISOString()}`;
  };
  const whole = `from=${new Date(until - day).toISOString()}&to=${new Date(until).toISOString()}`;
  const analytics = (query: string) => `/observability/analytics/?${query}`;
  const application = () => oneOf(APPLICATIONS);
  const user = () => `user-${String(randomInt(USERS)).padStart(6, "0")}`;
  return [
    { what: "a trace of 20 spans", connections: 32, path: trace },
    { what: "a trace of 20 spans", connections: 1, path: trace },
    {
      what: "a span by its id",
      connections: 4,
      path: () => `/observability/spans/${oneOf(ids.spans)}/`,
    },
    { what: "50 traces before a moment", connections: 4, path: () => traces(`to=${moment()}`) },
    {
      what: "50 failed traces of an application",
      connections: 4,
      path: () => traces(`application=${application()}&status=ERROR&to=${moment()}`),
    },
    { what: "the traces of a user", connections: 4, path: () => traces(`user_id=${user()}`) },
    {
      what: "50 model calls before a moment",
      connections: 4,
      path: () => `/observability/spans/?spankind=LLM&to=${moment()}`,
    },
    {
      what: "traces with a rare word",
      connections: 4,
      path: () => traces(`q=${word(12_000 + randomInt(8_000))}`),
    },
    {
      what: "50 traces with two words",
      connections: 4,
      path: () => traces(`q=${word(100 + randomInt(100))}+${word(1_000 + randomInt(1_000))}`),
    },
    {
      what: "analytics of a day by the hour",
      connections: 1,
      path: () => analytics(`${whole}&interval=1h`),
    },
    {
      what: "analytics of an hour by the minute",
      connections: 1,
      path: () => analytics(`${hour()}&interval=1m`),
    },
    {
      what: "analytics of a day by the hour and application",
      connections: 1,
      path: () => analytics(`${whole}&interval=1h&group_by=application`),
    },
  ];
}

function oneOf<Item>(items: readonly Item[]): Item {
  return items[randomInt(items.length)] as Item;
}
