import { expect, it } from "vitest";
import { chooseEncoding } from "./choose-encoding.ts";

it.each([
  ["gzip, deflate, br, zstd", "br"],
  ["gzip, deflate", "gzip"],
  ["BR", "br"],
  ["gzip;q=1.0, br;q=0.5", "gzip"],
  ["br;q=0, gzip;q=0.1", "gzip"],
  ["*", "br"],
  ["br;q=0, *;q=0.5", "gzip"],
  ["gzip;q=0.5, identity", null],
  ["gzip, identity", "gzip"],
  ["identity;q=0.5, gzip;q=0.5", "gzip"],
  ["*;q=0", null],
  ["br;q=yes", null],
  ["deflate", null],
  ["", null],
  [undefined, null],
])("Accept-Encoding %j takes %j", (accepted, encoding) => {
  expect(chooseEncoding(["br", "gzip"], accepted)).toBe(encoding);
});
