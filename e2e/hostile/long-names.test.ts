import { afterAll, beforeAll, expect, it } from "vitest";
import { type AgateClient, clientOf } from "../command-line/agate-client.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { sendSpans } from "../sent-span.ts";

// A name of a megabyte made every line of a list as wide: 200 traces were 201 MB of spaces.

const MEGABYTE = 1_000_000;
const TRACES = 200;
const MOST_OUTPUT = 200_000;

let server: RunningServer;
let agate: AgateClient;
const ids = Array.from({ length: TRACES }, (_, n) => String(n).padStart(32, "a"));
beforeAll(async () => {
  server = await startServer();
  agate = clientOf(server.url);
  const spans = ids.map((traceId, n) => ({
    traceId,
    spanId: String(n).padStart(16, "b"),
    parentSpanId: null,
    name: n === 7 ? `long ${"n".repeat(MEGABYTE)}` : `span ${n}`,
    start: 1_700_000_000_000_000 + n,
    inputs: n === 7 ? `text ${"i".repeat(MEGABYTE)} end` : "",
  }));
  expect(await sendSpans(server.url, spans)).toBe(200);
});
afterAll(() => server[Symbol.asyncDispose]());

it("clips names in a list, also in a pipe: 201 MB before, less than 0.2 MB now", async () => {
  const { code, stdout } = await agate("traces", "--limit", String(TRACES));
  expect(code).toBe(0);
  expect(stdout.split("\n").filter((line) => line.includes("span "))).toHaveLength(TRACES - 1);
  expect(stdout).toMatch(/long n{50,}…/);
  expect(stdout.length).toBeLessThan(MOST_OUTPUT);
});

it("clips names and values of a trace, and says where the rest is", async () => {
  const id = ids[7] ?? "";
  const tree = await agate("trace", id);
  expect(tree.stdout).toMatch(/long n{50,}…/);
  expect(tree.stdout.length).toBeLessThan(MOST_OUTPUT);
  const details = await agate("trace", id, "--span", "7".padStart(16, "b"));
  expect(details.stdout).toContain("more characters: see --json.");
  expect(details.stdout.length).toBeLessThan(MOST_OUTPUT);
});

it("never clips JSON", async () => {
  const { stdout } = await agate("trace", ids[7] ?? "", "--json");
  const { name, content } = JSON.parse(stdout) as { name: string; content: { inputs: unknown } };
  expect(name).toHaveLength(MEGABYTE + "long ".length);
  expect(JSON.stringify(content.inputs)).toContain("i end");
});
