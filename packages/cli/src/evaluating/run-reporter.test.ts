import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type ItemResult, itemKey, type RunCase, seededRandom } from "@agate/platform/evaluations";
import type { NewRunCase, NewRunResult } from "@agate/protocol";
import { expect, it } from "vitest";
import { createApiClient } from "../api-client/api-client.ts";
import type { ApiFailure } from "../api-client/api-failure.ts";
import { MOST_WAITING, RETRY_PAUSES, RunReporter } from "./run-reporter.ts";

/** What goes wrong with a request: the connection breaks before or after it took effect. */
type Fault = "before" | "after" | number | undefined;

/** A platform that keeps the first result of an item, as the real one does. */
class SomePlatform implements AsyncDisposable {
  status = "running";
  readonly requests: string[] = [];
  readonly cases = new Map<string, NewRunCase>();
  readonly results = new Map<string, NewRunResult>();
  fault: (path: string) => Fault | Promise<Fault> = () => undefined;
  readonly #server = createServer(async (request, response) => {
    const path = request.url ?? "";
    this.requests.push(path);
    const fault = await this.fault(path);
    if (fault === "before") return response.destroy();
    const text = request.headers["content-type"] === undefined ? {} : await json(request);
    if (typeof fault === "number") {
      const detail = [{ loc: [], msg: "No.", type: "no" }];
      response.writeHead(fault, { "content-type": "application/json" });
      return response.end(JSON.stringify({ detail }));
    }
    this.#apply(path, text as { cases?: NewRunCase[]; results?: NewRunResult[] });
    if (fault === "after") return response.destroy();
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ id: "r", status: this.status }));
  });

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #apply(path: string, body: { cases?: NewRunCase[]; results?: NewRunResult[] }): void {
    for (const row of body.cases ?? []) if (!this.cases.has(row.id)) this.cases.set(row.id, row);
    for (const result of body.results ?? []) {
      const key = itemKey(result as unknown as ItemResult);
      if (!this.cases.has(result.case)) throw new Error("A result came before its case.");
      if (!this.results.has(key)) this.results.set(key, result);
    }
    if (path.endsWith("/finish")) this.status = "finished";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

function casesOf(count: number): RunCase[] {
  return Array.from({ length: count }, (_, at) => ({ id: `case-${at}`, inputs: { at } }));
}

function resultOf({ id }: RunCase, output: unknown = id): ItemResult {
  const scores = { right: { status: "ok", value: 1 } } as const;
  const figures = { latency: 1, cost: 0, judge_cost: 0, trace_id: "a", span_id: "b" };
  return { column: "candidate", case: id, trial: 0, output, error: null, ...figures, scores };
}

function reporterFor(url: string, cases: readonly RunCase[]) {
  const away: ApiFailure[] = [];
  const reporter = new RunReporter({
    api: createApiClient({ url, apiKey: undefined, project: undefined }),
    run: {
      id: "r",
      application: "app",
      evaluation: "quality",
      testset: { kind: "inline" },
      scorers: [{ name: "right" }],
      columns: [{ name: "candidate", ref: "default" }],
    },
    cases,
    traced: new Set(["candidate"]),
    onAway: (failure) => away.push(failure),
    wait: () => Promise.resolve(),
  });
  return { reporter, away };
}

it.each([1, 2, 3, 4, 5])(
  "reports every result once, however often the platform restarts (%i)",
  async (seed) => {
    await using platform = new SomePlatform();
    const random = seededRandom(seed);
    let inRow = 0;
    platform.fault = () => {
      const fault = (["before", "after", 503, undefined] as const)[Math.floor(random() * 4)];
      inRow = fault === undefined || inRow === RETRY_PAUSES.length ? 0 : inRow + 1;
      return inRow === 0 ? undefined : fault;
    };
    const cases = casesOf(40);
    const { reporter, away } = reporterFor(await platform.start(), cases);
    for (const row of cases) {
      reporter.add(resultOf(row));
      if (random() < 0.3) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await reporter.end("finished", () => [])).toMatchObject({ kind: "reported" });
    expect([...platform.results.values()].map(({ case: row }) => row).sort()).toEqual(
      cases.map(({ id }) => id).sort(),
    );
    expect([platform.status, away]).toEqual(["finished", []]);
  },
);

it("sends everything at the end to a platform that was away, and says so once", async () => {
  await using platform = new SomePlatform();
  platform.fault = () => "before";
  const cases = casesOf(3);
  const { reporter, away } = reporterFor(await platform.start(), cases);
  for (const row of cases) {
    reporter.add(resultOf(row));
    while (away.length === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(platform.requests).toHaveLength(RETRY_PAUSES.length + 1);
  platform.fault = () => undefined;
  const outcome = await reporter.end("finished", () => cases.map((row) => resultOf(row)));
  expect(outcome).toMatchObject({ kind: "reported", run: { status: "finished" } });
  expect([platform.results.size, away.length]).toEqual([3, 1]);
});

it("is not reported to a platform that stays away", async () => {
  const url = await (async () => {
    await using platform = new SomePlatform();
    return await platform.start();
  })();
  const { reporter, away } = reporterFor(url, casesOf(1));
  const outcome = await reporter.end("finished", () => []);
  expect(outcome).toMatchObject({ kind: "unsent", failure: { why: { kind: "unreachable" } } });
  expect(away).toHaveLength(1);
});

it("asks once where the platform refuses", async () => {
  await using platform = new SomePlatform();
  platform.fault = () => 403;
  const { reporter } = reporterFor(await platform.start(), casesOf(1));
  expect(await reporter.end("finished", () => [])).toMatchObject({ kind: "unsent" });
  expect(platform.requests).toEqual(["/registry/runs"]);
});

it.each([0, 1])("reads the kept run for what is more than may wait (%i more)", async (more) => {
  await using platform = new SomePlatform();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  platform.fault = () => promise;
  const cases = casesOf(MOST_WAITING + more);
  const { reporter } = reporterFor(await platform.start(), cases);
  for (const row of cases) reporter.add(resultOf(row));
  resolve(undefined);
  let isRead = false;
  await reporter.end("finished", () => {
    isRead = true;
    return cases.map((row) => resultOf(row));
  });
  expect(isRead).toBe(more > 0);
  expect(platform.results.size).toBe(cases.length);
});

it("leaves an interrupted run open, to be resumed", async () => {
  await using platform = new SomePlatform();
  const cases = casesOf(2);
  const { reporter } = reporterFor(await platform.start(), cases);
  for (const row of cases.slice(1)) reporter.add(resultOf(row));
  expect(await reporter.end("interrupted", () => [])).toMatchObject({ kind: "reported" });
  expect([platform.results.size, platform.status]).toEqual([1, "running"]);
});

it.each([
  ["finished", "reported"],
  ["stopped", "ended"],
])("adds nothing to a run that is %s", async (status, kind) => {
  await using platform = new SomePlatform();
  platform.status = status;
  const cases = casesOf(1);
  const { reporter } = reporterFor(await platform.start(), cases);
  for (const row of cases) reporter.add(resultOf(row));
  expect(await reporter.end("finished", () => [])).toMatchObject({ kind });
  expect(platform.requests).toEqual(["/registry/runs"]);
});
