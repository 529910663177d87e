import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";
import { beforeAll, expect, it } from "vitest";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresDatabases } from "../testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { listenToPostgres } from "./open-postgres-signals.ts";

let server: PostgresDatabases;
beforeAll(async () => {
  server = await sharedPostgres();
});

/** A line to the server that can fall silent, as when a machine loses its power. */
async function openLine() {
  const sockets: Socket[] = [];
  const line = createServer((near) => {
    const far = connect(server.port, "127.0.0.1");
    sockets.push(near, far);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on("error", () => {});
  }).listen(0, "127.0.0.1");
  await once(line, "listening");
  const { port } = line.address() as AddressInfo;
  const { url, shown } = server.address("postgres");
  const [before, after] = [`:${server.port}/`, `:${port}/`];
  const address: PostgresAddress = {
    kind: "postgres",
    url: url.replace(before, after),
    shown: shown.replace(before, after),
  };
  return {
    address,
    fallSilent() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      line.close();
      await once(line, "close");
    },
  };
}

it("notices that the server no longer responds, although the connection is open", async () => {
  await using line = await openLine();
  const told: string[] = [];
  const heartbeat = { every: 50, longestAnswer: 2000 };
  const { address } = line;
  const listener = await listenToPostgres(address, "news", (text) => told.push(text), heartbeat);
  await server.query(server.address("postgres"), "SELECT pg_notify('news', 'one')");
  await expect.poll(() => told, { timeout: 15_000 }).toEqual(["one"]);
  line.fallSilent();
  expect((await listener.ended).message).toBe("Query read timeout");
  await listener.end();
});
