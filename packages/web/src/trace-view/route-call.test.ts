import { describe, expect, it } from "vitest";
import { callCurl, spanCurl } from "./route-call.ts";

const open = { origin: "http://127.0.0.1:4100", project: null, needsKey: false };

describe("the command that gets a span", () => {
  it("needs no headers without keys and projects", () => {
    expect(spanCurl("abc", open)).toBe("curl -s 'http://127.0.0.1:4100/observability/spans/abc/'");
  });

  it("has the key as a shell variable, and names the project", () => {
    expect(spanCurl("abc", { ...open, project: "it's", needsKey: true })).toBe(
      [
        "curl -s 'http://127.0.0.1:4100/observability/spans/abc/' \\",
        '  -H "authorization: Bearer $AGATE_API_KEY" \\',
        "  -H 'agate-project: it'\\''s'",
      ].join("\n"),
    );
  });
});

describe("the command that repeats a call", () => {
  it("sends the same configuration and inputs, quoted for the shell", () => {
    const config = { prompt: "It's $HOME `whoami`\n" };
    const call = { spanId: "abc", app: "my app", route: "/summarize", config, inputs: ["'"] };
    const [url, type, data] = callCurl(call, open).split(" \\\n  ");
    expect(url).toBe("curl -s 'http://127.0.0.1:4100/services/my%20app/playground/run/summarize'");
    expect(type).toBe("-H 'content-type: application/json'");
    expect(data).toBe(
      String.raw`--data-raw '{"config":{"prompt":"It'\''s $HOME ${"`whoami`"}\n"},"inputs":["'\''"]}'`,
    );
  });

  it("has no path for the route /", () => {
    const call = { spanId: "abc", app: "shop", route: "/", config: {}, inputs: {} };
    expect(callCurl(call, open)).toContain("/services/shop/playground/run' ");
  });
});
