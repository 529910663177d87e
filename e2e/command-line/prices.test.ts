import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SpanRecord } from "@agate/protocol";
import { expect, it } from "vitest";
import { emptyDataFolder } from "../data-folder.ts";
import { type RunningServer, startServer } from "../running-server.ts";

/** The cost of a call of this model that a server takes in. */
async function costOf(server: RunningServer, model: string): Promise<unknown> {
  const traceId = randomBytes(16).toString("hex");
  const attributes = [
    { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
    { key: "gen_ai.provider.name", value: { stringValue: "openai" } },
    { key: "gen_ai.request.model", value: { stringValue: model } },
    { key: "gen_ai.usage.input_tokens", value: { intValue: 1000 } },
    { key: "gen_ai.usage.output_tokens", value: { intValue: 100 } },
  ];
  const span = {
    traceId,
    spanId: "6".repeat(16),
    name: "chat",
    startTimeUnixNano: "1794700800000000000",
    endTimeUnixNano: "1794700801000000000",
    attributes,
  };
  const sent = await fetch(`${server.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
  });
  expect(sent.status).toBe(200);
  const read = await fetch(`${server.url}/observability/traces/${traceId}/`);
  return ((await read.json()) as SpanRecord).metadata.cost;
}

it("prices of a file come before the shipped ones", async () => {
  await using folder = await emptyDataFolder();
  const file = join(folder.path, "prices.json");
  const prices = [{ models: ["gpt-5-mini", "my-own"], input: 100, output: 2000 }];
  await writeFile(file, JSON.stringify({ providers: { openai: prices } }));
  const ownPrice = (1000 * 100 + 100 * 2000) / 1_000_000;

  await using plain = await startServer();
  await using priced = await startServer({ flags: ["--prices", file] });
  const shipped = await costOf(plain, "gpt-5-mini");
  expect(shipped).toBeGreaterThan(0);
  expect(shipped).toBeLessThan(ownPrice);
  expect(await costOf(priced, "gpt-5-mini")).toBeCloseTo(ownPrice, 10);
  expect(await costOf(plain, "my-own")).toBe(null);
  expect(await costOf(priced, "my-own")).toBeCloseTo(ownPrice, 10);
  // What the file does not name keeps its price.
  expect(await costOf(priced, "gpt-4o")).toBe(await costOf(plain, "gpt-4o"));
});
