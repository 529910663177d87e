import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClickHouseAddress } from "../store-address.ts";
import { StoreRefusalError, StoreUnavailableError } from "../store-errors.ts";
import type { ChdbServer } from "../testing/chdb-server.fixture.ts";
import { startChdbServer } from "../testing/chdb-server.fixture.ts";
import { asClickHouseRefusal, refuseOldClickHouse, transientReason } from "./clickhouse-errors.ts";
import { SCHEMA_VERSION } from "./clickhouse-schema.ts";
import { ClickHouseSession, connectClickHouse } from "./clickhouse-session.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";

// A server of its own: what is made read-only here would be so for every other test file.
let server: ChdbServer;
beforeAll(async () => {
  server = await startChdbServer();
});
afterAll(() => server.dispose());

/** Why a store cannot be opened. */
async function refusalOf(address: ClickHouseAddress): Promise<string> {
  const error = await openClickHouseStore({ address }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StoreRefusalError);
  return (error as StoreRefusalError).message;
}

describe("opening a ClickHouse store", () => {
  it("makes the database once when ten replicas start together", async () => {
    const address = server.address("together");
    const stores = await Promise.all(
      Array.from({ length: 10 }, () => openClickHouseStore({ address })),
    );
    const session = new ClickHouseSession(connectClickHouse(address), address);
    expect(await session.rows(`SELECT max(version) FROM together.schema_version`)).toEqual([
      [SCHEMA_VERSION],
    ]);
    await session.close();
    await Promise.all(stores.map((store) => store.close()));
  });

  it("refuses what a newer version has written, and changes nothing", async () => {
    const address = server.address("newer");
    const session = new ClickHouseSession(connectClickHouse(address), address);
    await session.command("CREATE DATABASE newer");
    await session.command("CREATE TABLE newer.schema_version (version UInt32) ENGINE = Memory");
    await session.insert("schema_version", ["version"], [[SCHEMA_VERSION], [SCHEMA_VERSION + 8]]);
    expect(await refusalOf(address)).toBe(
      `${address.shown} was written by a newer version of Agate (schema ${SCHEMA_VERSION + 8}; this one knows ${SCHEMA_VERSION}). Nothing was changed: upgrade Agate.`,
    );
    expect(await session.rows("SHOW TABLES FROM newer")).toEqual([["schema_version"]]);
    await session.close();
  });

  it("says what to do about a wrong password, without telling it", async () => {
    const address = { ...server.address("agate"), password: "top-secret" };
    expect(await refusalOf(address)).toBe(
      `ClickHouse refuses the login to ${address.shown}: correct the user and the password in the URL.`,
    );
  });

  it.each([
    ["when tables are to be made", /^CREATE/],
    ["when spans are to be kept for a time", /^ALTER/],
  ])("says what to do about a user who may only read, %s", async (when, refused) => {
    const address = server.address(`read-only-${when.length}`);
    const connect = () => {
      const client = connectClickHouse(address);
      const command = client.command.bind(client);
      // As if it were in the user's profile.
      client.command = (options) => {
        if (!refused.test(options.query)) return command(options);
        const readOnly = { ...options.clickhouse_settings, readonly: "1" };
        return command({ ...options, clickhouse_settings: readOnly });
      };
      return client;
    };
    const keep = async () => {
      const store = await openClickHouseStore({ address, connect });
      await store.keepFor(86_400_000).finally(() => store.close());
    };
    await expect(keep()).rejects.toThrow(
      new StoreRefusalError(
        `The user of ${address.shown} may only read. Give it a profile with readonly = 0, or another user in the URL.`,
      ),
    );
  });

  it("says what to do about a server that is not there", async () => {
    const address = { ...server.address("agate"), url: "http://127.0.0.1:1" };
    expect(await refusalOf(address)).toBe(
      `${address.shown} cannot be used (ECONNREFUSED). The database cannot be reached. Start it, or correct the URL.`,
    );
  });

  it.each([
    [404, "Not Found"],
    // ClickHouse's own, at the port of its other protocol.
    [400, "Port 9000 is for clickhouse-client program\r\nYou must use port 8123 for HTTP.\r\n"],
    [502, "<html><body>Bad Gateway</body></html>"],
    [401, '{"error":"unauthorized"}'],
    [200, "Hello"],
    [200, "{}"],
    [200, ""],
  ])("says what to do about a server that is no ClickHouse: %i %j", async (status, answer) => {
    const other = createServer((_, response) => response.writeHead(status).end(answer));
    await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
    const { port } = other.address() as AddressInfo;
    const address = { ...server.address("agate"), url: `http://127.0.0.1:${port}` };
    expect(await refusalOf(address)).toBe(
      `There is no ClickHouse at ${address.shown} that speaks HTTP: give the port of its HTTP interface (8123), or clickhouses:// where that is encrypted (8443).`,
    );
    other.close();
  });

  it.each(["DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID"])(
    "says what to do about a certificate that is not trusted: %s",
    (code) => {
      const address = server.address("agate");
      const cause = Object.assign(new Error("…"), { code });
      const reason = transientReason(cause);
      expect(reason).toBe("The database's certificate is not trusted.");
      const error = new StoreUnavailableError(reason ?? "", { cause });
      expect(String(asClickHouseRefusal(address, error))).toBe(
        `StoreRefusalError: The certificate of ${address.shown} is not trusted (${code}). Give Node the one that has signed it with NODE_EXTRA_CA_CERTS=FILE, or correct the host in the URL.`,
      );
    },
  );

  it("says what to do about an old server, a missing right, cluster or Keeper", () => {
    const address = { ...server.address("agate"), cluster: "main" };
    expect(() => refuseOldClickHouse(address, "26.1.9.1")).toThrow(
      "is ClickHouse 26.1: Agate needs 26.2",
    );
    expect(() => refuseOldClickHouse(address, "25.12.1.1")).toThrow(StoreRefusalError);
    expect(() => refuseOldClickHouse(address, "26.10.1.1")).not.toThrow();
    const refusal = (type: string, message = "…") =>
      String(asClickHouseRefusal(address, Object.assign(new Error(message), { type })));
    expect(refusal("ACCESS_DENIED")).toMatch(
      /GRANT CREATE, .* ON `agate`.*GRANT CLUSTER, REMOTE .* ON CLUSTER `main`/,
    );
    expect(refusal("UNKNOWN_DATABASE")).toMatch(/CREATE DATABASE `agate` ON CLUSTER `main`,/);
    expect(refusal("REPLICA_ALREADY_EXISTS")).toMatch(/DROP … SYNC/);
    const constraint = "Setting async_insert should not be changed. ";
    expect(refusal("SETTING_CONSTRAINT_VIOLATION", constraint)).toMatch(
      /change the setting async_insert, which/,
    );
    expect(refusal("CLUSTER_DOESNT_EXIST")).toMatch(/no cluster called main/);
    expect(refusal("NO_ELEMENTS_IN_CONFIG")).toMatch(/macros shard and replica/);
    const bug = new TypeError("undefined is not a function");
    expect(asClickHouseRefusal(address, bug)).toBe(bug);
    const passing = new StoreUnavailableError("It is away.", { cause: new Error("…") });
    expect(asClickHouseRefusal(address, passing)).toBeInstanceOf(StoreRefusalError);
  });
});
