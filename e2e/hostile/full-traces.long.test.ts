import { expect, it } from "vitest";
import { emptyDataFolder } from "../data-folder.ts";
import { startServer } from "../running-server.ts";

const TRACE = "f".repeat(32);
const MOST = 1_000;

const span = (n: number, name = "s") => ({
  traceId: TRACE,
  spanId: (n + 1).toString(16).padStart(16, "0"),
  ...(n > 0 && { parentSpanId: "1".padStart(16, "0") }),
  name,
  startTimeUnixNano: String(1_780_000_000_000_000_000n + BigInt(n)),
});

// Without a limit, one trace grew to 940,000 spans, and each further batch to it took 6 s.
it("takes no more than 1,000 of 25,000 spans that 5 clients send to one trace", async () => {
  await using folder = await emptyDataFolder();
  await using server = await startServer({
    dataDirectory: folder.path,
    flags: ["--max-spans-per-trace", String(MOST)],
  });
  const send = async (spans: readonly object[]) => {
    const response = await fetch(`${server.url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
    });
    expect(response.status).toBe(200);
    const { partialSuccess } = (await response.json()) as {
      partialSuccess?: { rejectedSpans: string; errorMessage: string };
    };
    return { rejected: Number(partialSuccess?.rejectedSpans ?? 0), ...partialSuccess };
  };
  expect(await send([span(0)])).toEqual({ rejected: 0 });
  const clients = [0, 1, 2, 3, 4].map(async (client) => {
    let rejected = 0;
    for (let batch = 0; batch < 10; batch++) {
      const first = 1 + client * 5_000 + batch * 500;
      const answer = await send(Array.from({ length: 500 }, (_, n) => span(first + n)));
      rejected += answer.rejected;
      if (answer.rejected > 0) expect(answer.errorMessage).toMatch(`trace ${TRACE} holds 1000`);
    }
    return rejected;
  });
  const rejected = await Promise.all(clients);
  expect(rejected.reduce((sum, count) => sum + count)).toBe(25_001 - MOST);

  // A span that is there can still be changed.
  expect(await send([span(0, "renamed"), span(30_000)])).toMatchObject({ rejected: 1 });
  const tree = await fetch(`${server.url}/observability/traces/${TRACE}/`);
  const top = (await tree.json()) as { name: string; children: unknown[] };
  expect([top.name, top.children.length]).toEqual(["renamed", MOST - 1]);
});

it("refuses a limit that is no positive number", async () => {
  await using folder = await emptyDataFolder();
  await expect(
    startServer({ dataDirectory: folder.path, flags: ["--max-spans-per-trace", "0"] }),
  ).rejects.toThrow();
});
