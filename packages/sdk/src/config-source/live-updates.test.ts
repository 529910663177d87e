import { describe, expect, test } from "vitest";
import type { ConfigSource } from "./config-source.ts";
import {
  eachWithRegistry,
  now,
  PRODUCTION,
  temperatureIn,
  withTemperature,
} from "./registry-config-source.fixture.ts";
import type { HttpConfigSourceOptions } from "./registry-config-source.ts";
import { until } from "./test-registry.fixture.ts";

const setUp = eachWithRegistry();

/** Counts what has been read of the streams of changes. */
function countingFetch(): { fetch: typeof fetch; heard(): number } {
  let chunks = 0;
  return {
    heard: () => chunks,
    async fetch(...request) {
      const response = await fetch(...request);
      if (!response.url.endsWith("/changes")) return response;
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          controller.enqueue(chunk);
          // By then it has been read.
          setImmediate(() => {
            chunks += 1;
          });
        },
      });
      return new Response(response.body?.pipeThrough(counted) ?? null, response);
    },
  };
}

describe("the stream of changes", () => {
  async function live(options: Partial<HttpConfigSourceOptions> = {}): Promise<ConfigSource> {
    setUp.registry.deploy("production", withTemperature(1));
    const source = setUp.open({ liveUpdates: true, ...options });
    await source.resolve(PRODUCTION);
    await until(() => setUp.registry.configRequests[1]?.status === 304);
    await until(() => setUp.clock.due.every((due) => due > 2_000));
    return source;
  }

  test("a deployment is seen by itself, and nothing is asked for in between", async () => {
    const { fetch, heard } = countingFetch();
    const source = await live({ fetch });
    expect(
      setUp.registry.requests.map(({ path, status }) => `${path.split("/").at(-1)} ${status}`),
    ).toEqual([
      "config?environment=production 200",
      "changes 200",
      "config?environment=production 304",
    ]);
    for (let minute = 0; minute < 60; minute++) {
      setUp.clock.advance(30_000);
      const before = heard();
      setUp.registry.say(": still here\n\n");
      await until(() => heard() > before);
      expect(now(source)).toMatchObject({ stale: false });
    }
    expect(setUp.registry.requests).toHaveLength(3);
    setUp.registry.deploy("production", withTemperature(2));
    await until(() => temperatureIn(now(source)) === 2);
    expect(setUp.registry.requests).toHaveLength(4);
  });

  test("an event brings all references of the application up to date, and no others", async () => {
    const source = await live();
    const staging = { ...PRODUCTION, environment: "staging" };
    const other = { ...PRODUCTION, application: "other" };
    setUp.registry.deploy("staging", withTemperature(10));
    setUp.registry.deploy("production", withTemperature(20), "default", "other");
    await source.resolve(staging);
    await source.resolve(other);
    await until(() => setUp.registry.requests.at(-1)?.path.includes("/other/config") === true);
    await until(() => setUp.registry.requests.at(-1)?.status === 304);
    setUp.registry.requests.length = 0;
    setUp.registry.deploy("staging", withTemperature(11));
    await until(() => temperatureIn(now(source, staging)) === 11);
    await until(() => setUp.registry.requests.length === 2);
    expect(setUp.registry.requests.map(({ path }) => path).sort()).toEqual([
      "/registry/applications/quickstart/config?environment=production",
      "/registry/applications/quickstart/config?environment=staging",
    ]);
  });

  test("a change while a check is under way is not missed", async () => {
    const { fetch, heard } = countingFetch();
    const source = await live({ fetch });
    const answer = Promise.withResolvers<void>();
    let isHeld = false;
    setUp.registry.interrupt = async (request) => {
      setUp.registry.interrupt = () => undefined;
      // What the registry says now is old by the time that it arrives.
      const response = await setUp.registry.handle(request);
      isHeld = true;
      await answer.promise;
      return response;
    };
    setUp.registry.deploy("production", withTemperature(2));
    await until(() => isHeld);
    const before = heard();
    setUp.registry.deploy("production", withTemperature(3));
    await until(() => heard() > before);
    answer.resolve();
    await until(() => temperatureIn(now(source)) === 3);
  });

  test("many events are few requests: one at a time, and the last one counts", async () => {
    const source = await live();
    let atOnce = 0;
    let most = 0;
    setUp.registry.interrupt = async (request) => {
      if (!request.url.includes("/config?")) return undefined;
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      return undefined;
    };
    for (let temperature = 2; temperature <= 500; temperature++) {
      setUp.registry.deploy("production", withTemperature(temperature));
    }
    await until(() => temperatureIn(now(source)) === 500);
    expect(most).toBe(1);
  });

  test("an event becomes a few requests at once, however many references there are", async () => {
    const source = await live();
    const references = Array.from({ length: 50 }, (_, index) => ({
      ...PRODUCTION,
      environment: `e${index}`,
    }));
    for (const { environment } of references) {
      setUp.registry.deploy(environment, withTemperature(1));
    }
    await Promise.all(references.map((reference) => source.resolve(reference)));
    let atOnce = 0;
    let most = 0;
    setUp.registry.interrupt = async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      return undefined;
    };
    setUp.registry.deploy("e49", withTemperature(2));
    await until(() => temperatureIn(now(source, references[49])) === 2);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(8);
  });

  test("an application of which nothing is deployed any more needs no stream", async () => {
    await live();
    setUp.registry.undeploy("production");
    await until(() => setUp.registry.streams === 0);
    expect(setUp.clock.due).toEqual([]);
  });

  test("a deployment to an environment that had none is seen at the next call", async () => {
    const source = await live();
    const staging = { ...PRODUCTION, environment: "staging" };
    expect((await source.resolve(staging)).kind).toBe("not-found");
    setUp.registry.deploy("staging", withTemperature(5));
    await until(() => source.resolve(staging) instanceof Promise);
    expect(temperatureIn(await source.resolve(staging))).toBe(5);
  });

  test("a check that fails after an event is repeated by itself", async () => {
    const source = await live();
    setUp.registry.interrupt = () => new Response(null, { status: 503 });
    setUp.registry.deploy("production", withTemperature(2));
    await until(() => setUp.clock.due[0] === 1_000);
    expect(now(source)).toMatchObject({ kind: "resolved", stale: true });
    setUp.registry.interrupt = () => undefined;
    setUp.clock.advance(1_000);
    await until(() => temperatureIn(now(source)) === 2);
    expect(now(source)).toMatchObject({ stale: false });
  });

  test("a lost stream is opened again, and what changed meanwhile is seen", async () => {
    const source = await live();
    await setUp.registry.die();
    await until(() => setUp.clock.due.length === 1);
    setUp.registry.deploy("production", withTemperature(2));
    await setUp.registry.listen();
    setUp.clock.advance(setUp.clock.due[0]!);
    await until(() => temperatureIn(now(source)) === 2);
    expect(now(source)).toMatchObject({ stale: false });
  });

  test("the pauses between attempts grow to 30 s and vary", async () => {
    await live();
    const pauses: number[] = [];
    await setUp.registry.die();
    for (let attempt = 0; attempt < 9; attempt++) {
      await until(() => setUp.clock.due.length === 1 && setUp.clock.due[0]! <= 30_000);
      pauses.push(setUp.clock.due[0]!);
      setUp.clock.advance(setUp.clock.due[0]!);
    }
    for (const [attempt, pause] of pauses.entries()) {
      const longest = Math.min(30_000, 250 * 2 ** attempt);
      expect(pause).toBeGreaterThanOrEqual(longest / 2);
      expect(pause).toBeLessThanOrEqual(longest);
    }
  });

  test("a stream that is silent for 45 s is lost, and the answer counts from when it was heard", async () => {
    const source = await live();
    setUp.registry.interrupt = (request) =>
      request.url.includes("/changes") ? new Response(null, { status: 500 }) : undefined;
    setUp.clock.advance(44_999);
    expect(setUp.registry.streams).toBe(1);
    setUp.clock.advance(1);
    await until(() => setUp.registry.streams === 0);
    await until(() => setUp.clock.due.length === 1);
    const before = setUp.registry.configRequests.length;
    now(source);
    await until(() => setUp.registry.configRequests.length === before + 1);
  });

  test("no stream is opened before the app serves", async () => {
    setUp.registry.deploy("production", withTemperature(1));
    const source = setUp.open();
    await source.resolve(PRODUCTION);
    setUp.clock.advance(1_000);
    now(source);
    await until(() => setUp.registry.requests.length === 2);
    expect(setUp.registry.streams).toBe(0);
    source.startLiveUpdates?.();
    source.startLiveUpdates?.();
    await until(() => setUp.registry.streams === 1);
  });

  test("a platform without streams is asked now and then, and says so once", async () => {
    setUp.registry.deploy("production", withTemperature(1));
    setUp.registry.interrupt = (request) =>
      request.url.includes("/changes")
        ? Response.json(
            { detail: [{ loc: [], msg: "No.", type: "route_not_found" }] },
            { status: 404 },
          )
        : undefined;
    const source = setUp.open({ liveUpdates: true });
    await source.resolve(PRODUCTION);
    for (let attempt = 0; attempt < 5; attempt++) {
      await until(() => setUp.clock.due.length === 1 && setUp.clock.due[0]! <= 30_000);
      setUp.clock.advance(setUp.clock.due[0]!);
    }
    expect(setUp.warnings).toEqual([
      expect.stringContaining('"quickstart" are not heard of at once'),
    ]);
  });
});
