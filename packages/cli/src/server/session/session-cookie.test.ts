import { expect, it } from "vitest";
import { sessionCookie, sessionKeyIn } from "./session-cookie.ts";

it.each([
  ["agate_session=ag_1", "ag_1"],
  ["theme=dark; agate_session=ag_1; other=2", "ag_1"],
  ["theme=dark;agate_session=ag_1", "ag_1"],
  ["my_agate_session=ag_1", undefined],
  ["theme=agate_session=ag_1", undefined],
  ["agate_session=", undefined],
  ["agate_session", undefined],
  ["", undefined],
])("in the header %j the key is %j", (cookie, key) => {
  expect(sessionKeyIn(cookie)).toBe(key);
});

it.each([
  [{}, false],
  [{ "x-forwarded-proto": "http", origin: "http://agate.example" }, false],
  [{ "x-forwarded-proto": "https" }, true],
  [{ "x-forwarded-proto": "HTTPS, http" }, true],
  [{ "x-forwarded-proto": "http, https" }, false],
  [{ origin: "https://agate.example" }, true],
])("after the journey %j it is only for TLS: %j", (journey, isSecure) => {
  expect(sessionCookie("ag_1", journey).endsWith("; Secure")).toBe(isSecure);
});
