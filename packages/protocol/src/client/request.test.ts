import { expect, it } from "vitest";
import { queryText, requestInit } from "./request.ts";

it("writes a query without what is not given", () => {
  expect(queryText({ a: undefined, b: null })).toBe("");
  expect(queryText({ q: "a b&c", limit: 0, empty: "" })).toBe("?q=a+b%26c&limit=0&empty=");
});

it("sends JSON, the key and the project", () => {
  const { method, headers, body } = requestInit({
    method: "POST",
    body: { a: 1 },
    apiKey: "key",
    project: "default",
    headers: { "agate-variant": "x" },
  });
  expect({ method, body, headers: Object.fromEntries(headers) }).toEqual({
    method: "POST",
    body: '{"a":1}',
    headers: {
      accept: "application/json",
      "agate-project": "default",
      "agate-variant": "x",
      authorization: "Bearer key",
      "content-type": "application/json",
    },
  });
  expect(Object.fromEntries(requestInit({ project: null }).headers)).toEqual({
    accept: "application/json",
  });
});
