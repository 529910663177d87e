import { describe, expect, it } from "vitest";
import type { PostgresAddress } from "../store-address.ts";
import { asPostgresRefusal, refuseUnfitPostgres } from "./postgres-errors.ts";

const ADDRESS: PostgresAddress = {
  kind: "postgres",
  url: "postgres://an%22n:p%40ss@db/my%20traces",
  shown: "postgres://an%22n@db/my%20traces",
};

function sentence(code: string | undefined, message: string): string {
  const error = asPostgresRefusal(ADDRESS, Object.assign(new Error(message), code && { code }));
  expect(error).toMatchObject({ name: "StoreRefusalError" });
  return (error as Error).message;
}

describe("asPostgresRefusal", () => {
  it("says what to do, in the words that PostgreSQL takes", () => {
    expect(sentence("3D000", 'database "my traces" does not exist')).toBe(
      'There is no database at postgres://an%22n@db/my%20traces. Create it with CREATE DATABASE "my traces", or correct the URL.',
    );
    expect(sentence("42501", "permission denied for database")).toContain(
      'GRANT CREATE ON DATABASE "my traces" TO "an""n".',
    );
  });

  it.each([
    ["28P01", "password authentication failed", /correct the user and the password/],
    [undefined, "SASL: client password must be a string", /correct the user and the password/],
    ["28000", "no pg_hba.conf entry for host", /\(no pg_hba\.conf entry for host\)/],
    ["25006", "cannot execute CREATE in a read-only transaction", /URL of the primary/],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate", /secure.*\(self-signed/],
    [undefined, "The server does not support SSL connections", /sslmode in the URL/],
    ["ECONNREFUSED", "", /cannot be used \(ECONNREFUSED\)\. The database cannot be reached\./],
    [
      "57P03",
      "the database system is starting up",
      /cannot be used now\. .* is starting up or shutting down\. Try again later/,
    ],
    ["53300", "sorry, too many clients already", /has too many connections/],
    [undefined, "timeout expired", /does not answer/],
  ])("knows %s %j", (code, message, expected) => {
    expect(sentence(code, message)).toMatch(expected);
  });

  it("leaves an error that the operator cannot fix as it is", () => {
    const error = Object.assign(new Error("syntax error"), { code: "42601" });
    expect(asPostgresRefusal(ADDRESS, error)).toBe(error);
  });
});

const FIT = { version: 140_000, encoding: "UTF8", read_only: "off" };

it.each([
  [{ version: 130_016 }, "is PostgreSQL 13: Agate needs 14 or later."],
  [
    { encoding: "LATIN1" },
    "has the encoding LATIN1: create one with ENCODING 'UTF8' TEMPLATE template0.",
  ],
  [{ read_only: "on" }, "is set to change nothing (default_transaction_read_only). Set that off"],
])("refuses a server that has %j", (unfit, sentence) => {
  refuseUnfitPostgres(ADDRESS, FIT);
  expect(() => refuseUnfitPostgres(ADDRESS, { ...FIT, ...unfit })).toThrow(sentence);
});
