import { expect, it } from "vitest";
import { emptyDataFolder } from "../data-folder.ts";
import { startServer } from "../running-server.ts";
import { sendSpans } from "../sent-span.ts";

const START = 1_700_000_000_000_000;

function span(n: number, inputs: string) {
  return {
    traceId: String(n).padStart(32, "a"),
    spanId: String(n).padStart(16, "b"),
    parentSpanId: null,
    name: `span ${n}`,
    start: START + n,
    inputs,
  };
}

async function found(url: string, q: string): Promise<string[]> {
  const response = await fetch(`${url}/observability/traces/?q=${q}`);
  expect(response.status).toBe(200);
  const { items } = (await response.json()) as { items: { name: string }[] };
  return items.map(({ name }) => name);
}

// Before: the index thread overflowed its stack, and the server exited at every start.
it("survives a span with 600,000 values, and finds it (1.5 MB as it is sent)", {
  timeout: 120_000,
}, async () => {
  await using folder = await emptyDataFolder();
  const wide = `{${Array.from({ length: 600_000 }, (_, n) => `"k${n}":${n % 7}`).join()},"z":"needle"}`;
  for (const n of [1, 2]) {
    await using server = await startServer({ dataDirectory: folder.path });
    if (n === 1) expect(await sendSpans(server.url, [span(1, wide)], "gzip")).toBe(200);
    expect(await sendSpans(server.url, [span(n + 1, `word${n}`)])).toBe(200);
    await expect
      .poll(() => found(server.url, `word${n}`), { timeout: 60_000 })
      .toEqual([`span ${n + 1}`]);
    expect(await found(server.url, "needle")).toEqual(["span 1"]);
    expect(await server.stop()).toBe(0);
    expect(server.log()).not.toContain("cannot be indexed");
  }
});
