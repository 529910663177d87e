import type { SpanRecord } from "@agate/protocol";
import { expect, it } from "vitest";
import { startServer } from "../running-server.ts";
import { sendOtlp } from "../send-otlp.ts";

/** Numbers of bare spans whose records come to 128 KiB, give or take what is around each in an answer. */
const COUNTS = Array.from({ length: 17 }, (_, n) => 120 + 5 * n);

it("answers traces and lists with valid JSON at each of 17 sizes from 120 to 200 spans", async () => {
  await using server = await startServer();
  const ask = async (path: string) => {
    const response = await fetch(`${server.url}${path}`);
    expect(response.status).toBe(200);
    return JSON.parse(await response.text());
  };
  for (const count of COUNTS) {
    const traceId = hex(count, 32);
    const spans = Array.from({ length: count }, (_, n) => ({
      traceId,
      spanId: hex(1_000 * count + n, 16),
      ...(n > 0 && { parentSpanId: hex(1_000 * count, 16) }),
      name: `span ${n}`,
      start: 1_700_000_000_000 + count * 1_000 + n,
      end: 1_700_000_000_000 + count * 1_000 + n + 1,
    }));
    await sendOtlp(server.url, spans);
    const tree = (await ask(`/observability/traces/${traceId}/`)) as SpanRecord;
    expect(tree.children?.map(({ id }) => id)).toEqual(spans.slice(1).map(({ spanId }) => spanId));
    const leaf = spans.at(-1)?.spanId;
    expect(await ask(`/observability/spans/${leaf}/`)).toEqual(tree.children?.at(-1));
    const page = await ask("/observability/spans/?limit=3");
    expect(page.items.map(({ id }: SpanRecord) => id)).toEqual(
      spans
        .slice(-3)
        .map(({ spanId }) => spanId)
        .reverse(),
    );
  }
  const traces = await ask("/observability/traces/?limit=100");
  expect(traces.items).toHaveLength(COUNTS.length);
});

function hex(n: number, digits: number): string {
  return n.toString(16).padStart(digits, "0");
}
