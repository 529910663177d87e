import { describe, expect, it } from "vitest";
import { emptyDataFolder } from "../data-folder.ts";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import { otlpJson } from "../sent-span.ts";
import { expectEverything } from "./expect-everything.ts";
import { openConnection, requestInHalves } from "./raw-connection.ts";
import { SeededRandom } from "./seeded-random.ts";
import { TraceLedger } from "./trace-ledger.ts";

const BROKEN_OFF = "Connections were broken off.";

export async function shuttingDown(server: RunningServer): Promise<void> {
  await expect.poll(() => server.log(), { interval: 5 }).toContain('"msg":"Shutting down."');
}

/** The line is logged a moment before the listening socket is closed. */
async function refusing(server: RunningServer): Promise<void> {
  const attempt = async () => {
    try {
      using _open = await openConnection(server.url);
      return "taken";
    } catch (error) {
      return String(error);
    }
  };
  await expect.poll(attempt, { interval: 5 }).toContain("ECONNREFUSED");
}

/** A request of which the server has seen the head and half of the body. */
export async function beginRequest(server: RunningServer, body: string) {
  const connection = await openConnection(server.url);
  const [first, rest] = requestInHalves(server.url, body);
  await connection.send(first);
  return { connection, finish: () => connection.send(rest) };
}

/** Resolves when everything that was sent before has reached the server. */
export async function roundTrip(server: RunningServer): Promise<void> {
  await (await fetch(`${server.url}/health`)).arrayBuffer();
}

/** What a server does when this signal stops it. */
export function describeShutdown(signal: "SIGTERM" | "SIGINT"): void {
  describe(signal, () => {
    it("finishes and commits the requests under way, takes no new ones, and ends with 0", async () => {
      await using folder = await emptyDataFolder();
      const ledger = new TraceLedger(new SeededRandom(1));
      await using server = await startServer({ dataDirectory: folder.path });
      const requests = [];
      for (let n = 0; n < 20; n++) {
        const change = ledger.nextChange(0);
        ledger.apply(change);
        requests.push(
          await beginRequest(server, otlpJson(change.kind === "batch" ? change.spans : [])),
        );
      }
      await roundTrip(server);

      const ended = server.stop(signal);
      await shuttingDown(server);
      await refusing(server);
      for (const { finish } of requests) await finish();
      for (const { connection } of requests) {
        expect(await connection.received).toMatch(
          /^HTTP\/1\.1 200 OK\r\n(.+\r\n)*connection: close\r\n/i,
        );
      }
      expect(await ended).toBe(0);
      expect(server.log()).not.toContain(BROKEN_OFF);

      await using again = await startServer({ dataDirectory: folder.path });
      await expectEverything(again.url, [ledger]);
    });

    it("ends live streams, and does not wait for connections without a request", async () => {
      await using server = await startServer();
      const live = await fetch(`${server.url}/observability/live/`);
      const events = live.text();
      using unused = await openConnection(server.url);
      using used = await openConnection(server.url);
      await used.send("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
      await roundTrip(server);
      expect(await server.stop(signal)).toBe(0);
      expect(await events).toContain(": connected\n");
      expect(await unused.received).toBe("");
      expect(await used.received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(server.log()).not.toContain(BROKEN_OFF);
    });
  });
}
