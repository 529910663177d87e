import { expect, it } from "vitest";
import { expectEverything } from "../durability/expect-everything.ts";
import { SeededRandom } from "../durability/seeded-random.ts";
import { sendSpans } from "../sent-span.ts";
import { PersistentClient } from "../stores/persistent-client.ts";
import { followTraces } from "./live-traces.ts";
import type { Replicas } from "./replicas.ts";
import { star } from "./star.ts";

const CLIENTS = 3;
const REQUESTS = 8;

async function answer(url: string, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/observability${path}`);
  return { status: response.status, text: await response.text() };
}

/** The text with which every server answers: the same. */
async function sameAnswer({ servers }: Replicas, path: string): Promise<string> {
  const answers = await Promise.all(servers.map(({ url }) => answer(url, path)));
  for (const each of answers) expect(each).toEqual({ status: 200, text: answers[0]?.text });
  return answers[0]?.text ?? "";
}

/** Tests that each server answers with what any of them has recorded. */
export function testSpansAsOne(replicas: () => Replicas): void {
  it("reads on every server what one has acknowledged, as soon as it has", async () => {
    const { servers } = replicas();
    for (const { url } of servers) {
      const spans = star(3);
      expect(await sendSpans(url, spans)).toBe(200);
      const tree = await sameAnswer(replicas(), `/traces/${spans[0]?.traceId}/`);
      expect(JSON.parse(tree).children).toHaveLength(3);
      const leaf = await sameAnswer(replicas(), `/spans/${spans[2]?.spanId}/`);
      expect(JSON.parse(leaf)).toMatchObject({ name: "span 2", parent_span_id: spans[0]?.spanId });
    }
  });

  it("makes one tree of spans that all servers take at the same time", async () => {
    const { servers } = replicas();
    const traces = Array.from({ length: 8 }, () => star(30));
    const sent = servers.flatMap(({ url }, server) =>
      traces.map((spans) =>
        sendSpans(
          url,
          spans.filter((_, n) => n % 3 === server),
        ),
      ),
    );
    expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
    for (const spans of traces) {
      const top = JSON.parse(await sameAnswer(replicas(), `/traces/${spans[0]?.traceId}/`));
      expect(top.id).toBe(spans[0]?.spanId);
      const names = top.children.map(({ name }: { name: string }) => name);
      expect(names).toEqual(spans.slice(1).map(({ name }) => name));
    }
    const ids = traces.map(([top]) => top?.traceId);
    const { items } = JSON.parse(
      await sameAnswer(
        replicas(),
        "/traces/?from=2026-01-01&to=2026-01-02&name=span%200&limit=1000",
      ),
    );
    const listed = items.map(({ trace_id }: { trace_id: string }) => trace_id);
    expect(listed).toEqual(expect.arrayContaining(ids));
    expect(new Set(listed).size).toBe(listed.length);
  });

  it("gives the same lists, search and figures, page by page through the balancer", async () => {
    const random = new SeededRandom(Date.now());
    const clients = Array.from({ length: CLIENTS }, () => new PersistentClient(random));
    const work = async (client: PersistentClient) => {
      for (let n = 0; n < REQUESTS; n++) {
        await client.perform(replicas().url, client.ledger.nextChange(0.1));
      }
    };
    await Promise.all(clients.map(work));
    // Nothing was refused: there was no reason to send anything twice.
    for (const { statuses } of clients) expect([...statuses.keys()]).not.toContain(503);
    const ledgers = clients.map(({ ledger }) => ledger);
    await expectEverything(replicas().url, ledgers, { to: "2025-01-01" });

    const count = ledgers.reduce((sum, { traces }) => sum + traces.size, 0);
    const range = "from=2023-11-14&to=2023-11-16";
    for (const query of [range, `${range}&interval=1h&group_by=name`]) {
      const { total } = JSON.parse(await sameAnswer(replicas(), `/analytics/?${query}`));
      expect(total.count).toBe(count);
    }
    for (const query of ["limit=7", "limit=5&q=everyspan", "limit=3&min_latency=1"]) {
      for (const list of ["traces", "spans"]) await sameAnswer(replicas(), `/${list}/?${query}`);
    }
  });

  it("tells live, on every server, what another one takes", async () => {
    const { servers } = replicas();
    await using parts = new AsyncDisposableStack();
    const live = await Promise.all(
      servers.map(async ({ url }) => parts.use(await followTraces(url))),
    );
    const spans = star(2);
    const id = spans[0]?.traceId;
    expect(await sendSpans(servers[0].url, spans.slice(0, 2))).toBe(200);
    for (const { events } of live) await expect.poll(() => events).toEqual([`trace ${id}`]);
    expect(await sendSpans(servers[1].url, spans.slice(2))).toBe(200);
    for (const { events } of live) {
      await expect.poll(() => events).toEqual([`trace ${id}`, `update ${id}`]);
    }
  });

  it("has deleted on every server what one has deleted, and takes it anew", async () => {
    const { servers } = replicas();
    const spans = star(1);
    const path = `/traces/${spans[0]?.traceId}/`;
    for (let round = 0; round < 2; round++) {
      expect(await sendSpans(servers[0].url, spans)).toBe(200);
      await sameAnswer(replicas(), path);
      const deleted = await fetch(`${servers[1].url}/observability${path}`, { method: "DELETE" });
      expect(deleted.status).toBe(204);
      for (const { url } of servers) expect((await answer(url, path)).status).toBe(404);
    }
  });
}
