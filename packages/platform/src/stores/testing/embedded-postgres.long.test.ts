import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { startEmbeddedPostgres } from "./embedded-postgres.fixture.ts";

// Others' tests of faults rest on this.
it("keeps what is committed though it is killed, and starts on the same port", async () => {
  const server = await startEmbeddedPostgres({ durable: true, settings: { max_connections: "7" } });
  try {
    const { port } = server;
    const address = await server.createDatabase();
    await server.query(address, "CREATE TABLE kept AS SELECT 1 AS one");
    await server.kill();
    await expect(server.query(address, "SELECT")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await server.start();
    expect(server.port).toBe(port);
    expect(await server.query(address, "SELECT one FROM kept")).toEqual([{ one: 1 }]);
    expect(await server.query(address, "SHOW max_connections")).toEqual([{ max_connections: "7" }]);
    await server.stop();
    await server.start();
    const [row] = await server.query<{ data_directory: string }>(address, "SHOW data_directory");
    expect(existsSync(`${row?.data_directory}/PG_VERSION`)).toBe(true);
    await server.dispose();
    expect(existsSync(`${row?.data_directory}`)).toBe(false);
  } finally {
    await server.dispose();
  }
});
