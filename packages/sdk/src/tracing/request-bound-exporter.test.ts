import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTelemetry } from "./create-telemetry.ts";
import type { Telemetry } from "./telemetry.ts";
import type { ExportLimits } from "./telemetry-options.ts";

const LIMITS: Partial<ExportLimits> = {
  batchSpans: 4,
  maxSpans: 12,
  // Longer than any of these tests: they send when they say so.
  intervalMs: 600_000,
  retryMs: 10,
  timeoutMs: 40,
  flushMs: 14_000,
};

const OK = () => Promise.resolve(new Response(null, { status: 200 }));
const BUSY = () => Promise.resolve(new Response(null, { status: 503 }));

/** Answers the requests one after the other, the rest like the last. */
function telemetryWith(limits: Partial<ExportLimits>, ...answers: (() => Promise<Response>)[]) {
  const fetch = vi.fn<typeof globalThis.fetch>(() => {
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    return answer();
  });
  const telemetry = createTelemetry({
    baseUrl: "http://platform.test",
    fetch,
    limits: { ...LIMITS, ...limits },
    onWarning: () => {},
  });
  return { telemetry, fetch };
}

function endSpans(telemetry: Telemetry, count: number): void {
  for (let index = 0; index < count; index += 1) {
    telemetry.startSpan(`span ${index}`, { kind: "TASK" }).end();
  }
}

beforeEach(() => void vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" }));
afterEach(() => void vi.unstubAllGlobals());

describe("the exporter of Cloudflare Workers", () => {
  it.each([1, 4, 5, 8, 9, 12])("sends %i spans in batches of 4", async (count) => {
    // None is given up and sent again because the machine is busy.
    const { telemetry, fetch } = telemetryWith({ timeoutMs: 600_000 }, OK);
    endSpans(telemetry, count);
    await telemetry.flush();
    await expect
      .poll(() => telemetry.statistics())
      .toMatchObject({ exported: count, queued: 0, dropped: 0 });
    expect(fetch).toHaveBeenCalledTimes(Math.ceil(count / 4));
  });

  it("counts what its queue has no room for", async () => {
    const { telemetry } = telemetryWith({ flushMs: 20 }, BUSY);
    endSpans(telemetry, 15);
    expect(telemetry.statistics()).toMatchObject({ queued: 12, dropped: 3 });
    await telemetry.shutdown();
    expect(telemetry.statistics()).toMatchObject({ exported: 0, queued: 0, dropped: 15 });
  });

  it("tries again within the same flush", async () => {
    const { telemetry, fetch } = telemetryWith({}, BUSY, BUSY, OK);
    endSpans(telemetry, 2);
    await telemetry.flush();
    expect(telemetry.statistics()).toMatchObject({ exported: 2, queued: 0, lastError: null });
    expect(fetch).toHaveBeenCalledTimes(3);
  });

  it("ends a flush in time, and leaves the spans to the next one", async () => {
    const { telemetry, fetch } = telemetryWith({ retryMs: 600_000 }, BUSY);
    endSpans(telemetry, 2);
    await telemetry.flush();
    await telemetry.flush();
    // A platform that is busy is not asked again by every request.
    expect(fetch).toHaveBeenCalledTimes(1);
    expect(telemetry.statistics()).toMatchObject({ exported: 0, queued: 2, dropped: 0 });
  });

  it("sends a batch again whose request was cancelled, and counts it once", async () => {
    const cancelled = Promise.withResolvers<Response>();
    const { telemetry, fetch } = telemetryWith({ flushMs: 10 }, () => cancelled.promise, OK);
    endSpans(telemetry, 3);
    // Its request is gone: neither an answer nor an error comes back.
    await telemetry.flush();
    expect(telemetry.statistics()).toMatchObject({ exported: 0, queued: 3 });
    await expect
      .poll(async () => {
        await telemetry.flush();
        return telemetry.statistics();
      })
      .toMatchObject({ exported: 3, queued: 0, dropped: 0 });
    expect(fetch).toHaveBeenCalledTimes(2);
    cancelled.resolve(await OK());
    await new Promise((resolve) => setImmediate(resolve));
    expect(telemetry.statistics()).toMatchObject({ exported: 3, queued: 0, dropped: 0 });
  });

  it("does not wait for the batch of another request", async () => {
    const slow = Promise.withResolvers<Response>();
    const sent = Promise.withResolvers<void>();
    const hang = () => {
      sent.resolve();
      return slow.promise;
    };
    const { telemetry } = telemetryWith({ timeoutMs: 600_000 }, hang, OK);
    endSpans(telemetry, 1);
    const first = telemetry.flush();
    await sent.promise;
    endSpans(telemetry, 1);
    await telemetry.flush();
    expect(telemetry.statistics()).toMatchObject({ exported: 1, queued: 1 });
    slow.resolve(await OK());
    await first;
    expect(telemetry.statistics()).toMatchObject({ exported: 2, queued: 0 });
  });
});
