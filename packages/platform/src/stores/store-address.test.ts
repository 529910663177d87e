import { describe, expect, it } from "vitest";
import { parseRegistryAddress, parseStoreAddress } from "./store-address.ts";

const reasonFor = (text: string) => {
  const parsed = parseStoreAddress(text);
  return parsed.kind === "invalid" ? parsed.reason : JSON.stringify(parsed.address);
};

describe("parseStoreAddress", () => {
  it("takes PostgreSQL's URLs as they are, and shows them without secrets", () => {
    const url = "postgresql://ann:p%40ss@db:5433/agate?sslmode=require&password=other";
    expect(parseStoreAddress(url)).toEqual({
      kind: "parsed",
      address: { kind: "postgres", url, shown: "postgresql://ann@db:5433/agate" },
    });
    expect(parseStoreAddress("postgres:///agate?host=/run/postgresql").kind).toBe("parsed");
  });

  it("takes ClickHouse's apart", () => {
    expect(parseStoreAddress("clickhouse://ann:p%2Fs@ch/traces?cluster=main")).toEqual({
      kind: "parsed",
      address: {
        kind: "clickhouse",
        url: "http://ch:8123",
        username: "ann",
        password: "p/s",
        database: "traces",
        cluster: "main",
        shown: "clickhouse://ann@ch/traces?cluster=main",
      },
    });
    expect(parseStoreAddress("clickhouses://ch.example.org:9443")).toMatchObject({
      address: {
        url: "https://ch.example.org:9443",
        username: "default",
        database: "default",
        cluster: null,
      },
    });
  });

  it("takes a folder", () => {
    expect(parseStoreAddress("sqlite:../data dir")).toEqual({
      kind: "parsed",
      address: { kind: "sqlite", directory: "../data dir" },
    });
  });

  it.each([
    ["postgres://db/agate?sslmode=yes", /sslmode must be one of disable, .* verify-full\.$/],
    ["postgres://db/agate?sslmode=verify-ca", /needs sslrootcert/],
    ["mysql://db/agate", /must be sqlite:FOLDER, postgres:\/\/… or clickhouse:\/\/…/],
    [".agate", /must be sqlite:FOLDER/],
    ["", /must be sqlite:FOLDER/],
    ["sqlite:", /folder must follow/],
    ["postgres://", /no URL with a host/],
    ["postgres://ann:p/ss@db/agate", /no URL with a host.*%40.*%2F/],
    ["postgres://ann:%zz@db/agate", /no URL with a host/],
    ["clickhouse:///agate", /no URL with a host/],
    ["clickhouse://ann:%zz@ch/agate", /no URL with a host/],
    ["clickhouse://ch/agate?compress=1", /parameter "compress"; the only one is cluster/],
    ["clickhouse://ch/a;b", /database's name "a;b" must be/],
    ["clickhouse://ch/agate?cluster='x'", /cluster's name "'x'" must be/],
  ])("refuses %s", (text, reason) => {
    expect(reasonFor(text)).toMatch(reason);
  });
});

it("keeps no registry in ClickHouse", () => {
  expect(parseRegistryAddress("clickhouse://ch/agate")).toEqual({
    kind: "invalid",
    reason: "It must be sqlite:FOLDER or postgres://….",
  });
});
