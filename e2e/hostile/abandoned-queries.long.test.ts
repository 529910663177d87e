import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { emptyDataFolder } from "../data-folder.ts";
import { startServer } from "../running-server.ts";
import { sendOtlp } from "../send-otlp.ts";

const START = 1_780_000_000_000;
/** At about a second for each query, the attack below would take a minute. */
const TRACES = 400_000;
const ATTACKERS = 60;
const ANALYTICS = `/observability/analytics/?group_by=user_id&interval=1h&from=${iso(0)}&to=${iso(3_600_000)}`;

function iso(offset: number): string {
  return new Date(START + offset).toISOString();
}

/** Copies the one trace that is there; nothing else makes so many in so short a time. */
function multiplyTraces(spansFile: string): void {
  const db = new DatabaseSync(spansFile);
  const columns = db
    .prepare("SELECT name FROM pragma_table_info('traces')")
    .all()
    .map(({ name }) => String(name));
  const copied: Record<string, string> = {
    trace_no: "t.trace_no + n.i",
    trace_id: "printf('%032x', n.i + 1000)",
    start: "t.start + n.i",
    user_id: "'user ' || (n.i % 50000)",
  };
  db.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${TRACES})
    INSERT INTO traces (${columns.join()})
    SELECT ${columns.map((name) => copied[name] ?? `t.${name}`).join()} FROM traces t, n
    WHERE t.trace_no = (SELECT min(trace_no) FROM traces)`);
  db.close();
}

async function ask(url: string, path: string): Promise<Socket> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  return socket;
}

// 40 abandoned requests of this kind at 2 million spans stalled every list for 95 seconds.
it("drops and stops the queries of clients that have gone, and lets no list wait", async () => {
  await using folder = await emptyDataFolder();
  {
    await using first = await startServer({ dataDirectory: folder.path });
    await sendOtlp(first.url, [
      {
        traceId: "1".padStart(32, "0"),
        spanId: "1".padStart(16, "0"),
        name: "t",
        start: START,
        end: START + 1,
      },
    ]);
    expect(await first.stop()).toBe(0);
  }
  multiplyTraces(folder.spansFile);
  await using server = await startServer({
    dataDirectory: folder.path,
    // Less than all of the queries below would take, more than one does.
    flags: ["--query-timeout", "20s"],
  });

  const attackers = await Promise.all(
    Array.from({ length: ATTACKERS }, () => ask(server.url, ANALYTICS)),
  );
  let answered = 0;
  for (const socket of attackers) socket.once("data", () => answered++);
  const list = await fetch(`${server.url}/observability/traces/?limit=1`);
  expect(list.status).toBe(200);
  // The list did not wait for them.
  expect(answered).toBeLessThan(ATTACKERS);
  for (const socket of attackers) socket.destroy();

  // Behind 60 queries that still wait it would be a 504.
  const figures = await fetch(`${server.url}${ANALYTICS}`);
  expect(figures.status).toBe(200);
  expect(((await figures.json()) as { total: { count: number } }).total.count).toBe(TRACES + 1);

  // More than may wait are refused at once, though none has gone.
  const crowd = Array.from({ length: 80 }, () =>
    fetch(`${server.url}${ANALYTICS}`, { signal: AbortSignal.timeout(60_000) }),
  );
  const refused = await Promise.any(
    crowd.map(async (request) => {
      const response = await request;
      if (response.status !== 503) throw new Error(String(response.status));
      return response;
    }),
  );
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ detail: [{ type: "query_queue_full" }] });
}, 240_000);
