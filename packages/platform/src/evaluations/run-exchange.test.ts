import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { caseIds, newCases, runRequest } from "../registry/contract/run.fixture.ts";
import { openRegistry } from "../registry/open-registry.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunRef } from "../registry/runs/run-registry.ts";
import { openRegistryDatabase } from "../stores/registry/open-registry-database.ts";
import { RegistryUnavailableError } from "../stores/store-errors.ts";
import { RunExchange, type RunExchangeOptions } from "./run-exchange.ts";
import type { ItemResult, RunItem } from "./run-item.ts";

const directory = mkdtempSync(join(tmpdir(), "agate-exchange-"));
let registry: Registry;
beforeAll(async () => {
  registry = await openRegistry(await openRegistryDatabase({ kind: "sqlite", directory }));
});
afterAll(async () => {
  await registry.close();
  await rm(directory, { recursive: true });
});

const CASES = 3;
const CONCURRENCY = 4;
const PLAN = {
  cases: CASES,
  concurrency: CONCURRENCY,
  max_cost: null,
  environment: "development",
  build: null,
};

/** A run of six items. */
async function startRun(): Promise<RunRef> {
  const request = runRequest({ runner: "platform", plan: PLAN });
  const created = await registry.runs.create("default", request, "tests");
  if (created.kind === "refused") throw new Error(JSON.stringify(created));
  const ref = { project: "default", run: created.value.id };
  await registry.runs.addCases(ref, newCases(caseIds(CASES)));
  return ref;
}

function exchangeOf(ref: RunRef, more: Partial<RunExchangeOptions> = {}) {
  const stop = new AbortController();
  const exchanges: number[] = [];
  const runs: Registry["runs"] = {
    ...registry.runs,
    exchange: (of, asked) => {
      exchanges.push(asked.results.length);
      return registry.runs.exchange(of, asked);
    },
  };
  let ends = 0;
  const exchange = new RunExchange({
    registry: { runs },
    redactionOf: () => null,
    ref,
    worker: "a",
    concurrency: CONCURRENCY,
    scores: { write: async () => {}, close: async () => {} },
    onEnded: () => {
      ends += 1;
    },
    signal: stop.signal,
    // Until it is woken: what has to wait for the clock never ends here.
    wait: async (_, signal) => {
      if (!signal.aborted) await once(signal, "abort");
    },
    ...more,
  });
  /** Of each transaction, the number of results. */
  return { exchange, stop, exchanges, ends: () => ends };
}

async function nextOf(exchange: RunExchange): Promise<RunItem> {
  const { done, value } = await exchange.next();
  if (done) throw new Error("There are no more items");
  return value;
}

function resultOf({ column, case: { id }, trial }: RunItem): ItemResult {
  const ids = { trace_id: null, span_id: null };
  const right = { status: "ok", value: 1 } as const;
  const costs = { latency: 1, cost: 0, judge_cost: 0 };
  return { column, case: id, trial, output: 1, error: null, ...ids, ...costs, scores: { right } };
}

async function countOf(ref: RunRef): Promise<number> {
  const found = await registry.runs.get(ref);
  return found.kind === "refused" ? -1 : found.value.results;
}

it("adds all results of a turn and leases for all that wait, in one transaction", async () => {
  const ref = await startRun();
  const { exchange, exchanges } = exchangeOf(ref);
  const first = await Promise.all([1, 2, 3, 4].map(() => nextOf(exchange)));
  expect(first.map((item) => item.case.inputs)).toContainEqual({ text: "case 0" });
  const rest = first.map((item) => {
    exchange.add(resultOf(item));
    return exchange.next();
  });
  // Two of the six are left for four that ask.
  const second = await Promise.all(rest.slice(0, 2));
  expect([exchanges, await countOf(ref)]).toEqual([[0, 4], 4]);
  for (const { value } of second) exchange.add(resultOf(value));
  expect(await Promise.all(rest.slice(2))).toEqual([
    { done: true, value: undefined },
    { done: true, value: undefined },
  ]);
  await exchange.close();
  expect([exchanges, exchange.end]).toEqual([[0, 4, 2], { kind: "complete" }]);
});

it("adds results that come after it was told to stop, and leases nothing", async () => {
  const ref = await startRun();
  const { exchange, stop, exchanges } = exchangeOf(ref);
  const item = await nextOf(exchange);
  stop.abort();
  exchange.add(resultOf(item));
  expect((await exchange.next()).done).toBe(true);
  await exchange.close();
  expect([exchanges, await countOf(ref), exchange.end]).toEqual([[0, 1], 1, undefined]);
  const returned = exchangeOf(ref, { worker: "b" });
  const other = await nextOf(returned.exchange);
  await returned.exchange.return();
  returned.exchange.add(resultOf(other));
  await returned.exchange.close();
  expect(await countOf(ref)).toBe(2);
});

it("ends where the run has ended, and asks no more", async () => {
  const ref = await startRun();
  const { exchange, exchanges, ends } = exchangeOf(ref);
  const [one, other] = [await nextOf(exchange), await nextOf(exchange)];
  await registry.runs.end(ref, { status: "stopped", reason: null });
  exchange.add(resultOf(one));
  expect((await exchange.next()).done).toBe(true);
  exchange.add(resultOf(other));
  expect((await exchange.next()).done).toBe(true);
  await exchange.close();
  expect([ends(), exchanges, exchange.end]).toEqual([1, [0, 0, 1], { kind: "ended" }]);
  expect(await countOf(ref)).toBe(0);
});

describe("while the registry is away", () => {
  const away = () => new RegistryUnavailableError("The database is gone.", { cause: null });

  /** The exchanges from the second on fail so often; the first that fails is carried out, or is not. */
  function failing(times: number, isCarriedOut: boolean): Pick<Registry, "runs"> {
    let calls = 0;
    const exchange: Registry["runs"]["exchange"] = async (of, asked) => {
      calls += 1;
      if (calls === 1 || calls > 1 + times) return registry.runs.exchange(of, asked);
      if (calls === 2 && isCarriedOut) await registry.runs.exchange(of, asked);
      throw away();
    };
    return { runs: { ...registry.runs, exchange } };
  }

  it.each([
    ["was not", false],
    ["was", true],
  ])(
    "offers results again, whether the exchange %s carried out, and leases no more",
    async (_, isCarriedOut) => {
      const ref = await startRun();
      // The last that fails is as late as one may be.
      const places = { registry: failing(30, isCarriedOut), wait: async () => {} };
      const { exchange } = exchangeOf(ref, places);
      const items = await Promise.all([1, 2, 3].map(() => nextOf(exchange)));
      const [first, ...others] = items as [RunItem, RunItem, RunItem];
      exchange.add(resultOf(first));
      expect((await exchange.next()).done).toBe(true);
      for (const item of others) exchange.add(resultOf(item));
      await exchange.close();
      expect([exchange.end, await countOf(ref)]).toEqual([undefined, 3]);
      await registry.runs.release(ref, "a");
      // Nothing is kept from the others, and nothing that has a result is given again.
      const next = exchangeOf(ref, { worker: "b" });
      const left = await Promise.all([1, 2, 3].map(() => nextOf(next.exchange)));
      const keyOf = ({ column, case: { id }, trial }: RunItem) => `${column} ${id} ${trial}`;
      expect(new Set([...items, ...left].map(keyOf)).size).toBe(6);
      for (const item of left) next.exchange.add(resultOf(item));
      await next.exchange.close();
      expect(await countOf(ref)).toBe(6);
    },
  );

  it("gives up when the leases have lapsed, and at once when it is told to stop", async () => {
    for (const isStopped of [false, true]) {
      const ref = await startRun();
      let waits = 0;
      const { exchange, stop } = exchangeOf(ref, {
        registry: failing(Number.POSITIVE_INFINITY, false),
        wait: async () => {
          waits += 1;
        },
      });
      const item = await nextOf(exchange);
      if (isStopped) stop.abort();
      exchange.add(resultOf(item));
      await expect(exchange.close()).rejects.toThrow("The database is gone.");
      expect(waits).toBe(isStopped ? 0 : 30);
    }
  });
});

it("throws what failed to all that wait, and at the end", async () => {
  const ref = await startRun();
  const failing = {
    write: () => Promise.reject(new Error("The store is gone.")),
    close: async () => {},
  };
  const { exchange } = exchangeOf(ref, { scores: failing });
  // Given before its scores are written: there are none yet.
  const item = await nextOf(exchange);
  await expect(exchange.next()).rejects.toThrow("The store is gone.");
  exchange.add(resultOf(item));
  await expect(exchange.next()).rejects.toThrow("The store is gone.");
  await expect(exchange.close()).rejects.toThrow("The store is gone.");
});

it("wakes all that wait when a worker fails", async () => {
  const ref = await startRun();
  const { exchange } = exchangeOf(ref);
  for (let n = 0; n < CONCURRENCY; n++) await nextOf(exchange);
  const waiting = exchange.next();
  await exchange.return();
  expect((await waiting).done).toBe(true);
  await exchange.close();
});
