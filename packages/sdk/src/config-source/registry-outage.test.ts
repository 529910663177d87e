import { describe, expect, test } from "vitest";
import {
  eachWithRegistry,
  now,
  PRODUCTION,
  temperatureIn,
  withTemperature,
} from "./registry-config-source.fixture.ts";
import { until } from "./test-registry.fixture.ts";

const setUp = eachWithRegistry();

describe("a registry that is away", () => {
  test("nothing is known: unavailable, and asked again after 1 s", async () => {
    await setUp.registry.die();
    const source = setUp.open();
    const answer = await source.resolve(PRODUCTION);
    expect(answer).toEqual({
      kind: "unavailable",
      reason: expect.stringMatching(/could not be reached \(ECONNREFUSED\).*AGATE_BASE_URL/),
    });
    expect(now(source)).toEqual(answer);
    setUp.registry.deploy("production", withTemperature(1));
    await setUp.registry.listen();
    setUp.clock.advance(1_000);
    expect(temperatureIn(await source.resolve(PRODUCTION))).toBe(1);
  });

  test("the last known answer is served, marked, for as long as it takes", async () => {
    setUp.registry.deploy("production", withTemperature(1));
    const source = setUp.open();
    await source.resolve(PRODUCTION);
    await setUp.registry.die();
    setUp.clock.advance(1_000);
    expect(now(source)).toMatchObject({ stale: false });
    await until(() => (now(source) as { stale: boolean }).stale);
    setUp.clock.advance(3_600_000);
    expect(await source.resolve(PRODUCTION)).toMatchObject({ kind: "resolved", stale: true });
    // It is known to be away: nobody waits to find out again.
    setUp.clock.advance(30_000);
    expect(now(source)).toMatchObject({ kind: "resolved", stale: true });
    expect(setUp.warnings).toEqual([setUp.warnings[0], setUp.warnings[0]]);

    await until(() => setUp.clock.due.length === 0);
    setUp.registry.deploy("production", withTemperature(2));
    await setUp.registry.listen();
    setUp.clock.advance(1_000);
    await until(() => temperatureIn(now(source)) === 2);
    expect(now(source)).toMatchObject({ stale: false });
  });

  test("one that does not answer within 2 s, or 10 s where nothing is known", async () => {
    setUp.registry.deploy("production", withTemperature(1));
    const source = setUp.open();
    await source.resolve(PRODUCTION);
    setUp.registry.interrupt = () => new Promise<Response>(() => {});
    setUp.clock.advance(60_001);
    const late = source.resolve(PRODUCTION);
    const unknown = source.resolve({ ...PRODUCTION, environment: "staging" });
    await until(() => setUp.registry.requests.length === 3);
    setUp.clock.advance(2_000);
    expect(await late).toMatchObject({ kind: "resolved", stale: true });
    let hasEnded = false;
    void Promise.resolve(unknown).then(() => {
      hasEnded = true;
    });
    setUp.clock.advance(7_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasEnded).toBe(false);
    setUp.clock.advance(1);
    expect(await unknown).toMatchObject({
      kind: "unavailable",
      reason: expect.stringContaining("no answer within 10 s"),
    });
  });

  test("one that stops in the middle of its answer", async () => {
    setUp.registry.interrupt = () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
        }),
      );
    const source = setUp.open();
    const answer = source.resolve(PRODUCTION);
    await until(() => setUp.registry.requests[0]?.status === 200);
    setUp.clock.advance(10_000);
    expect((await answer).kind).toBe("unavailable");
  });

  test("what was not found is not known to be missing for ever", async () => {
    const source = setUp.open();
    expect((await source.resolve(PRODUCTION)).kind).toBe("not-found");
    await setUp.registry.die();
    setUp.clock.advance(1_000);
    expect((await source.resolve(PRODUCTION)).kind).toBe("unavailable");
  });
});

describe("closing", () => {
  test("ends streams, timers and requests", async () => {
    setUp.registry.deploy("production", withTemperature(1));
    const source = setUp.open({ liveUpdates: true });
    await source.resolve(PRODUCTION);
    await until(() => setUp.registry.configRequests[1]?.status === 304);
    setUp.registry.interrupt = () => new Promise<Response>(() => {});
    const unanswered = source.resolve({ ...PRODUCTION, environment: "staging" });
    await until(() => setUp.registry.configRequests.length === 3);
    await source.close();
    expect(await unanswered).toMatchObject({ kind: "unavailable" });
    await until(() => setUp.registry.streams === 0);
    expect(setUp.clock.due).toEqual([]);
    expect(setUp.warnings).toEqual([]);
    expect(now(source)).toMatchObject({ kind: "resolved" });
    expect(now(source, { ...PRODUCTION, environment: "other" }).kind).toBe("unavailable");
  });
});
