import { describe, expect, it } from "vitest";
import { callCurl, spanCurl } from "./route-call.ts";

const open = { origin: "http://127.0.0.1:4100", project: null, needsKey: false };

describe("the command that reads a span", () => {
  it("is as short as can be on one's own machine", () => {
    expect(spanCurl("abc", open)).toBe("curl -s 'http://127.0.0.1:4100/observability/spans/abc/'");
  });

  it("leaves the key to the shell, and names the project", () => {
    expect(spanCurl("abc", { ...open, project: "it's", needsKey: true })).toBe(
      [
        "curl -s 'http://127.0.0.1:4100/observability/spans/abc/' \\",
        '  -H "authorization: Bearer $AGATE_API_KEY" \\',
        "  -H 'agate-project: it'\\''s'",
      ].join("\n"),
    );
  });
});

describe("the command that calls a route again", () => {
  it("sends the same configuration and inputs, and nothing that a shell would act on", () => {
    const config = { prompt: "It's $HOME `whoami`\n" };
    const call = { spanId: "abc", app: "my app", route: "/summarize", config, inputs: ["'"] };
    const [url, type, data] = callCurl(call, open).split(" \\\n  ");
    expect(url).toBe("curl -s 'http://127.0.0.1:4100/services/my%20app/playground/run/summarize'");
    expect(type).toBe("-H 'content-type: application/json'");
    expect(data).toBe(
      String.raw`--data-raw '{"config":{"prompt":"It'\''s $HOME ${"`whoami`"}\n"},"inputs":["'\''"]}'`,
    );
  });

  it("has no path for the entrypoint", () => {
    const call = { spanId: "abc", app: "shop", route: "/", config: {}, inputs: {} };
    expect(callCurl(call, open)).toContain("/services/shop/playground/run' ");
  });
});
