import { expect, it } from "vitest";
import { credentialsOf } from "./sender.ts";

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
  expect(credentialsOf({ headers: { cookie } }).session).toBe(session);
});
