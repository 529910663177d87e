import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { startServer } from "../running-server.ts";
import { sendSpans } from "../sent-span.ts";

const SPAN = {
  traceId: "a".repeat(32),
  spanId: "b".repeat(16),
  parentSpanId: null,
  name: "span",
  start: 1_700_000_000_000_000,
  inputs: "word",
};

// Before: the first list after the limit was reached ended the server, as its thread could not start.
it.each([
  ["survives 400 connections with 160 file descriptors", 160],
  ["survives 400 connections with hardly enough descriptors to start", 72],
])("%s, and answers lists again", async (_, descriptors) => {
  await using server = await startServer({
    within: ["sh", "-c", `ulimit -n ${descriptors} && exec "$@"`, "sh"],
  });
  expect(await sendSpans(server.url, [SPAN])).toBe(200);
  const port = Number(new URL(server.url).port);
  const sockets: Socket[] = [];
  for (let n = 0; n < 400; n++) {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    sockets.push(socket);
    await once(socket, "connect");
  }
  const list = async () => {
    const response = await fetch(`${server.url}/observability/traces/?q=word`, {
      headers: { connection: "close" },
    }).catch(() => undefined);
    if (response?.status === 503) expect(response.headers.get("retry-after")).not.toBeNull();
    await response?.body?.cancel();
    return response?.status;
  };
  // Refused at once, or answered: never the end.
  for (let n = 0; n < 5; n++) expect([undefined, 200, 503]).toContain(await list());
  for (const socket of sockets) socket.destroy();
  await expect.poll(list).toBe(200);
  expect(await server.stop()).toBe(0);
});
