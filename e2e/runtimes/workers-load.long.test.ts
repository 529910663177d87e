import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { SeededRandom } from "../durability/seeded-random.ts";
import { type CountingPlatform, startCountingPlatform } from "./counting-platform.ts";
import { openCall } from "./open-call.ts";
import { findRuntime, startRuntime } from "./start-runtime.ts";

const CALLS = 800;
const LANES = 32;

/** How a worker may be set up. Without Node's modules, only what the runtime hands to `fetch` is there. */
const SETUPS = {
  "with Node's modules": {},
  "without them": {
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["enable_request_signal"],
  },
} as const;

// Before, 231 spans were sent, 247 stayed in the queue for good, and none was counted as dropped.
it.skipIf(findRuntime("workerd") === undefined).each(Object.entries(SETUPS))(
  `a worker %s sends every span of ${CALLS} interleaved calls, of which some are slow and some are cancelled`,
  async (_title, setup) => {
    const random = new SeededRandom(13);
    await using platform = await startCountingPlatform((request) => ({
      // The platform is slow now and then, and refuses now and then.
      status: request % 11 === 5 ? 503 : 200,
      milliseconds: request % 7 === 3 ? 300 : 0,
    }));
    await using worker = await startRuntime("workerd", {
      baseUrl: platform.url,
      application: "load",
      worker: { entry: join(import.meta.dirname, "programs/loaded-worker.ts"), ...setup },
    });
    const answers = new Map<string, number>();
    let left = CALLS;
    const lane = async () => {
      // A worker checks its configuration once a second: a fast machine has made all calls by then.
      while (left > 0 || !answers.has("200 second")) {
        left -= 1;
        if (left === CALLS / 2) platform.deploy("second");
        const outcome = await oneCall(worker.url, random);
        answers.set(outcome, (answers.get(outcome) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    // Both configurations were served, the second from some moment on, and nothing else came back.
    expect(new Set(answers.keys())).toEqual(new Set(["200 first", "200 second", "cancelled"]));
    expect(answers.get("cancelled")).toBeGreaterThan(CALLS / 10);
    expect(await wholeCall(worker.url, "call", 0)).toBe("200 second");
    await expectAllSent(worker.url, platform);
    // One check a second and some of the first moment: not one for every call.
    expect(platform.asked()).toBeLessThan(CALLS / 4);
  },
);

async function expectAllSent(url: string, platform: CountingPlatform): Promise<void> {
  const made = async () => (await (await fetch(`${url}/made`)).json()) as number;
  // Asking is a request, too: it sends what the platform refused before.
  const sent = async () => {
    const { telemetry } = (await (await fetch(`${url}/health`)).json()) as Health;
    return { ...telemetry, missing: (await made()) - telemetry.exported };
  };
  await expect
    .poll(sent)
    .toEqual({ exported: await made(), dropped: 0, queued: 0, last_error: null, missing: 0 });
  expect(platform.accepted.size).toBe(await made());
}

interface Health {
  readonly telemetry: { readonly exported: number };
}

/** A deployed call, some of them streamed, some slow, some broken off: what became of it. */
async function oneCall(url: string, random: SeededRandom): Promise<string> {
  const route = random.chance(0.3) ? "stream" : "call";
  const milliseconds = random.chance(0.2) ? 200 : random.between(0, 20);
  if (!random.chance(0.2)) return wholeCall(url, route, milliseconds);
  const call = await openCall(`${url}/run/${route}`, { milliseconds });
  await sleep(random.between(0, 100));
  await call.reset();
  return "cancelled";
}

async function wholeCall(url: string, route: string, milliseconds: number): Promise<string> {
  const response = await fetch(`${url}/run/${route}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ inputs: { milliseconds } }),
  });
  const text = await response.text();
  const version = /first|second/.exec(text)?.[0] ?? text;
  return `${response.status} ${version}`;
}
