import { expect, it } from "vitest";
import { clientOf } from "../command-line/agate-client.ts";
import { startServer } from "../running-server.ts";
import { sendOtlp } from "../send-otlp.ts";

const MIB = 1024 * 1024;
/** What a page may hold, but for its last item. */
const PAGE_BYTES = 8 * MIB;
const TRACES = 12;
const ATTRIBUTE_BYTES = 3 * MIB;

interface Listed {
  readonly trace_id: string;
  readonly metadata: { readonly attributes: Readonly<Record<string, unknown>> };
}

const traceIdOf = (n: number) => (n + 1).toString(16).padStart(32, "0");

// 12 traces with an attribute of 50 MiB each were a 500 ("Invalid string length"), and 50 of them took
// 11 GB. Here they are smaller: what counts is that no page holds more than its limit.
it("lists traces with large attributes in pages of 8 MiB, none left out", async () => {
  await using server = await startServer();
  for (let n = 0; n < TRACES; n++) {
    await sendOtlp(server.url, [
      {
        traceId: traceIdOf(n),
        spanId: (n + 1).toString(16).padStart(16, "0"),
        name: `trace ${n}`,
        start: 1_780_000_000_000 + n,
        end: 1_780_000_000_001 + n,
        attributes: { blob: String.fromCharCode(97 + n).repeat(ATTRIBUTE_BYTES) },
      },
    ]);
  }
  for (const kind of ["traces", "spans"]) {
    const seen: Listed[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? "" : `&cursor=${cursor}`;
      const response = await fetch(
        `${server.url}/observability/${kind}/?content=full&limit=1000${query}`,
      );
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text.length).toBeLessThan(PAGE_BYTES + ATTRIBUTE_BYTES + MIB);
      const page = JSON.parse(text);
      expect(page.items.length).toBeGreaterThan(0);
      seen.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen.map(({ trace_id }) => trace_id)).toEqual(
      Array.from({ length: TRACES }, (_, n) => traceIdOf(TRACES - 1 - n)),
    );
    for (const { metadata } of seen) {
      expect((metadata.attributes.blob as string).length).toBe(ATTRIBUTE_BYTES);
    }
    // Previews of all of them are one small page.
    const previews = await (await fetch(`${server.url}/observability/${kind}/?limit=1000`)).text();
    expect(previews.length).toBeLessThan(TRACES * 4_096);
    const { items, next_cursor } = JSON.parse(previews);
    expect(items.map(({ trace_id }: Listed) => trace_id)).toEqual(
      seen.map(({ trace_id }) => trace_id),
    );
    expect(next_cursor).toBeNull();
  }

  // The command line follows the cursors of short pages.
  const agate = clientOf(server.url);
  const { stdout, stderr, code } = await agate("traces", "--limit", String(TRACES - 1));
  expect(stderr).toMatch(/--cursor/);
  expect(code).toBe(0);
  expect(stdout.match(/trace \d+/g)).toHaveLength(TRACES - 1);
}, 240_000);
