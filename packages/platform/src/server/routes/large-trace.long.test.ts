import type { IncomingMessage } from "node:http";
import { get } from "node:http";
import type { StoredSpan } from "@agate/spans";
import { afterAll, beforeAll, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../../stores/contract/stored-span.fixture.ts";
import { NestingScanner } from "../testing/nesting-scanner.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

function open(path: string): Promise<IncomingMessage> {
  const { port } = platform.server;
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path, agent: false }, resolve).on("error", reject);
  });
}

async function scan(response: IncomingMessage): Promise<NestingScanner> {
  const scanner = new NestingScanner();
  for await (const piece of response) scanner.write(piece);
  return scanner;
}

/** Appends spans in pieces, the last ones first: parents come long after their children. */
async function appendBackwards(count: number, make: (n: number) => StoredSpan): Promise<void> {
  const PIECE = 10_000;
  for (let end = count; end > 0; end -= PIECE) {
    const begin = Math.max(0, end - PIECE);
    await platform.append(Array.from({ length: end - begin }, (_, n) => make(begin + n)));
  }
}

it("gives back a chain of 20,000 spans, from its top and from its middle", async () => {
  const COUNT = 20_000;
  await appendBackwards(COUNT, (n) =>
    storedSpan({
      traceId: traceIdOf(1),
      id: spanIdOf(n),
      parentId: n === 0 ? null : spanIdOf(n - 1),
      start: n,
    }),
  );
  for (const [path, first] of [
    [`/observability/traces/${traceIdOf(1)}/`, 0],
    [`/observability/spans/${spanIdOf(COUNT / 2)}`, COUNT / 2],
  ] as const) {
    const scanner = await scan(await open(path));
    expect(scanner.isComplete).toBe(true);
    expect(scanner.repeated).toEqual([]);
    const depths = Array.from({ length: COUNT - first }, (_, n) => [spanIdOf(first + n), n]);
    expect([...scanner.depths]).toEqual(depths);
  }
}, 120_000);

it("gives back a trace of 50,000 spans, and answers others meanwhile", async () => {
  const COUNT = 50_000;
  const FAN = 7;
  const parentOf = (n: number) => Math.floor((n - 1) / FAN);
  const base = 0x1000000;
  await appendBackwards(COUNT, (n) =>
    storedSpan({
      traceId: traceIdOf(2),
      id: spanIdOf(base + n),
      parentId: n === 0 ? null : spanIdOf(base + parentOf(n)),
      start: n,
      inputs: n % 1000 === 0 ? "é".repeat(10_000) : n,
    }),
  );
  const response = await open(`/observability/traces/${traceIdOf(2)}`);
  expect(response.headers["content-length"]).toBeUndefined();
  // More than the buffers on the way can hold is still to come, and the client does not read it.
  expect((await platform.get("/health")).status).toBe(200);
  expect((await platform.get("/observability/traces/?limit=1")).status).toBe(200);
  const scanner = await scan(response);
  expect(scanner.isComplete).toBe(true);
  expect(scanner.repeated).toEqual([]);
  expect(scanner.depths.size).toBe(COUNT);
  const misplaced: number[] = [];
  for (let n = 0; n < COUNT; n++) {
    const around = scanner.depths.get(spanIdOf(base + n));
    const aroundParent = n === 0 ? -1 : scanner.depths.get(spanIdOf(base + parentOf(n)));
    if (around !== (aroundParent ?? Number.NaN) + 1) misplaced.push(n);
  }
  expect(misplaced).toEqual([]);
}, 240_000);
