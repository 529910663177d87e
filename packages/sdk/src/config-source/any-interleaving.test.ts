import fc from "fast-check";
import { expect, test } from "vitest";
import type { ConfigResolution, ConfigSource } from "./config-source.ts";
import { FakeClock } from "./fake-clock.fixture.ts";
import { PRODUCTION, temperatureIn, withTemperature } from "./registry-config-source.fixture.ts";
import { registryConfigSource } from "./registry-config-source.ts";
import { TestRegistry } from "./test-registry.fixture.ts";

type Step =
  | { readonly do: "deploy" | "call" | "down" | "up" | "break streams" }
  /** Lets so many messages arrive. */
  | { readonly do: "deliver"; readonly messages: number }
  | { readonly do: "advance"; readonly milliseconds: number };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: "call" } as const) },
  { weight: 3, arbitrary: fc.constantFrom({ do: "deploy" } as const) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Step>(
      { do: "down" },
      { do: "up" },
      { do: "up" },
      { do: "break streams" },
    ),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("deliver" as const),
      messages: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("advance" as const),
      milliseconds: fc.constantFrom(10, 300, 999, 1_000, 2_000, 30_000, 45_000, 61_000),
    }),
  },
);

/** A registry whose network a test delays, reorders and cuts. */
class World {
  readonly registry = new TestRegistry();
  readonly clock = new FakeClock();
  readonly source: ConfigSource;
  readonly #scheduler: fc.Scheduler;
  isDown = false;
  deployed = 0;
  /** In the order of the answers. */
  readonly seen: number[] = [];
  readonly unanswered = new Set<Promise<void>>();

  constructor(scheduler: fc.Scheduler) {
    this.#scheduler = scheduler;
    this.source = registryConfigSource({
      baseUrl: "http://registry.test",
      clock: this.clock,
      random: () => 0.5,
      liveUpdates: true,
      fetch: (url, init) =>
        this.#fetch(new Request(url as string, { headers: init!.headers! }), init!.signal!),
    });
  }

  async #fetch(request: Request, signal: AbortSignal): Promise<Response> {
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    aborted.catch(() => undefined);
    const arrive = async (): Promise<Response> => {
      await this.#scheduler.schedule(Promise.resolve(), "request");
      if (this.isDown) throw new Error("Connection refused.");
      const response = await this.registry.handle(request);
      await this.#scheduler.schedule(Promise.resolve(), "answer");
      if (this.isDown) throw new Error("Connection reset.");
      return response;
    };
    const response = await Promise.race([arrive(), aborted]);
    const body = response.body?.pipeThrough(new TransformStream(), { signal }) ?? null;
    return new Response(body, response);
  }

  deploy(): void {
    this.deployed += 1;
    this.registry.deploy("production", withTemperature(this.deployed));
  }

  call(): void {
    const answer = this.source.resolve(PRODUCTION);
    if (!(answer instanceof Promise)) {
      this.#see(answer);
      return;
    }
    const seen: Promise<void> = answer.then((resolution) => {
      this.unanswered.delete(seen);
      this.#see(resolution);
    });
    this.unanswered.add(seen);
  }

  #see(resolution: ConfigResolution): void {
    if (resolution.kind === "resolved") this.seen.push(Number(temperatureIn(resolution)));
  }

  async deliver(messages: number): Promise<void> {
    for (let message = 0; message < messages; message++) {
      await settled();
      if (this.#scheduler.count() === 0) return;
      await this.#scheduler.waitOne();
    }
    await settled();
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case "deploy":
        return this.deploy();
      case "call":
        return this.call();
      case "down":
        this.isDown = true;
        return this.registry.breakStreams();
      case "up":
        this.isDown = false;
        return;
      case "break streams":
        return this.registry.breakStreams();
      case "deliver":
        return this.deliver(step.messages);
      case "advance":
        this.clock.advance(step.milliseconds);
        return settled();
    }
  }
}

/** Until everything that needs no message and no clock has happened. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("no interleaving of deployments, outages and calls shows what was never deployed, or goes back", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(STEP, { maxLength: 40 }),
      fc.nat(2),
      async (scheduler, steps, overlap) => {
        const world = new World(scheduler);
        for (const step of steps) await world.take(step);

        // The registry is back, and the stream has been connected again.
        world.isDown = false;
        if (world.deployed === 0) world.deploy();
        world.call();
        for (let minute = 0; minute < 3; minute++) {
          await world.deliver(100);
          world.clock.advance(44_000);
          world.registry.say(": still here\n\n");
          world.call();
        }
        await world.deliver(100);
        expect(world.unanswered.size).toBe(0);
        // The first change is still being checked when the last one is heard of.
        world.deploy();
        await world.deliver(overlap);
        world.deploy();
        await world.deliver(100);
        const last = world.source.resolve(PRODUCTION);
        expect(last).not.toBeInstanceOf(Promise);
        expect(last).toMatchObject({ kind: "resolved", stale: false });
        expect(temperatureIn(last as ConfigResolution)).toBe(world.deployed);

        for (const [index, temperature] of world.seen.entries()) {
          expect(temperature).toBeGreaterThanOrEqual(world.seen[index - 1] ?? 1);
          expect(temperature).toBeLessThanOrEqual(world.deployed);
        }
        await world.source.close();
        expect(world.clock.due).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});
