import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apiKeyIn, newApiKeyText } from "./api-key-text.ts";
import { clientAuthorization } from "./client-authorization.ts";

const { key } = newApiKeyText();
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

describe("a key is found", () => {
  it.each([
    ["in Authorization", { authorization: `Bearer ${key}` }],
    ["with Agenta's scheme", { authorization: `ApiKey ${key}` }],
    ["in any case of the scheme", { authorization: `bearer  ${key}` }],
    ["without a scheme, as Logfire sends it", { authorization: key }],
    ["as Langfuse's secret key", { authorization: basic(`pk-lf-1:${key}`) }],
    ["as the password without a user", { authorization: basic(`:${key}`) }],
    ["in LangSmith's header", { "x-api-key": key }],
    ["in Phoenix's header", { api_key: key }],
    ["beside another product's", { authorization: "Bearer undefined", "x-api-key": key }],
  ])("%s", (_, headers) => {
    const { authorization, isForeign } = clientAuthorization(headers);
    expect(apiKeyIn(authorization ?? "")).toBe(key);
    expect(isForeign).toBe(false);
  });

  it("in the first of several headers", () => {
    const other = newApiKeyText().key;
    const headers = { authorization: `Bearer ${key}`, "x-api-key": other, api_key: other };
    expect(clientAuthorization(headers).authorization).toBe(`Bearer ${key}`);
  });
});

it.each([
  ["Bearer undefined"],
  ["Bearer "],
  ["Basic "],
  [basic(":")],
  [basic("pk-lf-1:sk-lf-2")],
  // The user of Basic is no secret: Langfuse has its public key there.
  [basic(`${key}:`)],
  [""],
  ["Bearer lsv2_pt_0123456789abcdef"],
  ["Bearer ag_1234567_"],
])("%j is of another product", (authorization) => {
  expect(clientAuthorization({ authorization }).isForeign).toBe(true);
  expect(clientAuthorization({ "x-api-key": authorization }).isForeign).toBe(true);
});

it.each([key.slice(0, -1), `${key}x`, "ag_12345678_"])(
  "%j was meant to be an Agate key, and is none",
  (cut) => {
    for (const headers of [{ authorization: `Bearer ${cut}` }, { "x-api-key": cut }]) {
      const { authorization, isForeign } = clientAuthorization(headers);
      expect(isForeign).toBe(false);
      expect(apiKeyIn(authorization ?? "")).toBeUndefined();
    }
  },
);

it("is nothing without a header", () => {
  expect(clientAuthorization({})).toEqual({ authorization: undefined, isForeign: false });
});

it("finds no key in anything else", () => {
  const text = fc.oneof(
    fc.string(),
    fc.base64String().map((some) => `Basic ${some}`),
  );
  fc.assert(
    fc.property(text, text, (authorization, apiKey) => {
      const found = clientAuthorization({ authorization, "x-api-key": apiKey });
      expect(apiKeyIn(found.authorization ?? "")).toBeUndefined();
    }),
  );
});
