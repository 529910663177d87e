import { Client } from "pg";
import { expect, it, vi } from "vitest";
import { connectionOptions } from "./connection-settings.ts";

it.each([
  ["", false],
  ["?sslmode=disable", false],
  // Encrypted without checking the server's identity, as libpq does.
  ["?sslmode=prefer", { rejectUnauthorized: false }],
  ["?connect_timeout=3&sslmode=require", { rejectUnauthorized: false }],
  ["?sslmode=no-verify", { rejectUnauthorized: false }],
  ["?sslmode=verify-full", {}],
])("takes %j as libpq does, without a warning", (parameters, ssl) => {
  using warned = vi.spyOn(process, "emitWarning");
  const url = `postgres://agate:secret@db/agate${parameters}`;
  const client = new Client(connectionOptions({ kind: "postgres", url, shown: "" }));
  expect(client.ssl).toEqual(ssl);
  expect(warned).not.toHaveBeenCalled();
});
