import { describe, expect, it } from "vitest";
import { parseStoreAddress } from "./store-address.ts";
import { isSameStore, storeName } from "./store-identity.ts";

function address(text: string) {
  const parsed = parseStoreAddress(text);
  if (parsed.kind === "invalid") throw new Error(parsed.reason);
  return parsed.address;
}

describe("isSameStore", () => {
  it.each([
    ["sqlite:a", "sqlite:./b/../a"],
    ["postgres://u:p@db/agate", "postgresql://v:q@DB:5432/agate?sslmode=require"],
    ["postgres://agate@localhost", "postgres://agate@127.0.0.1/agate"],
    ["postgres://u@[::1]/a%20b", "postgres://u@localhost/a%20b"],
    ["clickhouse://ch/agate", "clickhouse://default:x@ch:8123/agate?cluster=main"],
    ["clickhouse://localhost", "clickhouse://127.0.0.1/default"],
  ])("%s is %s", (one, other) => {
    expect(isSameStore(address(one), address(other))).toBe(true);
    expect(isSameStore(address(other), address(one))).toBe(true);
  });

  it.each([
    ["sqlite:a", "sqlite:b"],
    ["postgres://u@db/one", "postgres://u@db/two"],
    ["postgres://u@db/one", "postgres://u@db:5433/one"],
    ["postgres://u@db/one", "postgres://u@other/one"],
    ["clickhouse://ch/one", "clickhouse://ch/two"],
    ["clickhouse://db/agate", "postgres://db/agate"],
  ])("%s is not %s", (one, other) => {
    expect(isSameStore(address(one), address(other))).toBe(false);
  });
});

it("names stores without their passwords", () => {
  for (const text of ["postgres://u:secret@db/a?password=secret", "clickhouse://u:secret@ch/a"]) {
    expect(storeName(address(text))).not.toContain("secret");
  }
  expect(storeName(address("sqlite:/data/agate"))).toBe("sqlite:/data/agate");
});
