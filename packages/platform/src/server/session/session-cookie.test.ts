import { expect, it } from "vitest";
import { sessionCookie, sessionIn } from "./session-cookie.ts";

it.each([
  ["agate_session=as_1", "as_1"],
  ["theme=dark; agate_session=as_1; other=2", "as_1"],
  ["theme=dark;agate_session=as_1", "as_1"],
  ["my_agate_session=as_1", undefined],
  ["theme=agate_session=as_1", undefined],
  ["agate_session=", undefined],
  ["agate_session", undefined],
  ["", undefined],
])("in the header %j the session is %j", (cookie, session) => {
  expect(sessionIn(cookie)).toBe(session);
});

it.each([
  [{}, false],
  [{ "x-forwarded-proto": "http", origin: "http://agate.example" }, false],
  [{ "x-forwarded-proto": "https" }, true],
  [{ "x-forwarded-proto": "HTTPS, http" }, true],
  [{ "x-forwarded-proto": "http, https" }, false],
  [{ origin: "https://agate.example" }, true],
])("after the journey %j it is only for TLS: %j", (journey, isSecure) => {
  expect(sessionCookie("as_1", journey).endsWith("; Secure")).toBe(isSecure);
});
