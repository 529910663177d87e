import { gzipSync } from "node:zlib";
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { expect, it } from "vitest";
import { startChdbServer } from "./chdb-server.fixture.ts";

// Others' tests of faults rest on this.
it("answers as ClickHouse does, and keeps what it took though it is killed", async () => {
  const server = await startChdbServer();
  const { url, username, password } = server.address("default");
  const client = createClient({
    url,
    username,
    password,
    use_multipart_params_auto: true,
    log: { level: ClickHouseLogLevel.OFF },
  });
  try {
    await client.command({
      query: "CREATE TABLE kept (text String) ENGINE MergeTree ORDER BY text",
    });
    const texts = ["; SELECT '\\", "\u0000\t\n", "ü".repeat(40_000)];
    await client.insert({
      table: "kept",
      values: texts.map((text) => [text]),
      format: "JSONCompactEachRow",
      clickhouse_settings: { max_insert_threads: "1" },
    });
    const count = async () => {
      const result = await client.query({
        query: "SELECT count() FROM kept WHERE text IN {texts:Array(String)}",
        query_params: { texts },
        format: "JSONCompactEachRow",
      });
      return result.json();
    };
    expect(await count()).toEqual([[3]]);
    const packed = gzipSync(Buffer.from([3, 0x00, 0x0a, 0xff]));
    const answer = await fetch(`${url}/?query=INSERT+INTO+kept+FORMAT+RowBinary`, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
        "content-encoding": "gzip",
      },
      body: packed,
    });
    expect(answer.status).toBe(200);
    const binary = await client.query({
      query: "SELECT hex(text) FROM kept WHERE length(text) = 3 AND NOT isValidUTF8(text)",
      format: "JSONCompactEachRow",
    });
    expect(await binary.json()).toEqual([["000AFF"]]);
    await expect(client.command({ query: "DROP TABLE gone" })).rejects.toMatchObject({
      code: "60",
      type: "UNKNOWN_TABLE",
    });
    await server.kill();
    await expect(count()).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await server.start();
    expect(await count()).toEqual([[3]]);
    const stranger = createClient({
      url,
      username,
      password: "wrong",
      log: { level: ClickHouseLogLevel.OFF },
    });
    await expect(stranger.command({ query: "SELECT 1" })).rejects.toMatchObject({ code: "516" });
    await stranger.close();
  } finally {
    await client.close();
    await server.dispose();
  }
});
