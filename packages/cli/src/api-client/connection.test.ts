import { describe, expect, it } from "vitest";
import { readConnection } from "./connection.ts";

describe("where the platform is", () => {
  it.each([
    [{}, {}, "http://127.0.0.1:4100"],
    [{}, { AGATE_BASE_URL: "https://agate.example/base/" }, "https://agate.example/base"],
    [{}, { AGATE_BASE_URL: "" }, "http://127.0.0.1:4100"],
    [
      { url: "http://[::1]:5000" },
      { AGATE_BASE_URL: "https://other.example" },
      "http://[::1]:5000",
    ],
  ])("options %j and environment %j give %s", (flags, environment, url) => {
    expect(readConnection(flags, environment)).toMatchObject({ connection: { url } });
  });

  it("an option comes before the environment for the key too", () => {
    const environment = { AGATE_API_KEY: "ag_env" };
    const keys = [{}, { apiKey: "ag_flag" }].map((flags) => readConnection(flags, environment));
    expect(keys).toMatchObject([
      { connection: { apiKey: "ag_env" } },
      { connection: { apiKey: "ag_flag" } },
    ]);
  });

  it.each([
    [{ url: "localhost:4100" }, {}, /^--url must be an address like/],
    [{ url: "ftp://x" }, {}, /^--url must be/],
    [{ url: "http://x/?a=1" }, {}, /^--url must be/],
    [{}, { AGATE_BASE_URL: "nonsense" }, /^AGATE_BASE_URL must be/],
    [{ apiKey: "" }, {}, /^--api-key is not a valid key/],
    [{}, { AGATE_API_KEY: "two\nlines" }, /^AGATE_API_KEY is not a valid key/],
    [{ project: "a b" }, {}, /^--project must be/],
  ])("%j and %j are refused before anything is sent", (flags, environment, reason) => {
    const outcome = readConnection(flags, environment);
    expect(outcome).toEqual({ kind: "wrong", reason: expect.stringMatching(reason) });
  });

  it.each([{ url: "http://user:geheim@x" }, { url: "user:geheim@x" }])(
    "the password of %j is not repeated",
    (flags) => {
      const reason = expect.stringMatching(/^--url must be .* without a user and a password$/);
      expect(readConnection(flags, {})).toEqual({ kind: "wrong", reason });
    },
  );

  it("a wrong key is not repeated", () => {
    const outcome = readConnection({ apiKey: "ag_sec ret" }, {});
    expect(JSON.stringify(outcome)).not.toContain("ret");
  });
});
