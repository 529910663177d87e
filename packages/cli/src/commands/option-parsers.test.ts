import { expect, it } from "vitest";
import { parseOtlpGrpc } from "./option-parsers.ts";

it.each([
  ["off", "off"],
  ["0", { port: 0 }],
  ["65535", { port: 65_535 }],
  ["0.0.0.0:4317", { host: "0.0.0.0", port: 4317 }],
  ["[::1]:4317", { host: "::1", port: 4317 }],
])("takes --otlp-grpc %s", (text, expected) => {
  expect(parseOtlpGrpc(text)).toEqual(expected);
});

it.each(["", "on", "65536", "0.0.0.0", "0.0.0.0:", ":4317", "::1:4317", "http://127.0.0.1:4317"])(
  "refuses --otlp-grpc %j with what it may be",
  (text) => {
    expect(() => parseOtlpGrpc(text)).toThrow(
      "Must be a port, an address with a port (0.0.0.0:4317), or off.",
    );
  },
);
