import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { readTarget } from "./dispatcher.ts";

const target = (url: string, host: string | undefined = "localhost:4100") =>
  readTarget({ url, headers: { host } } as IncomingMessage);

describe("readTarget", () => {
  it.each([
    ["/health", "/health", ""],
    ["/a/b/?x=1&y=%20", "/a/b/", "x=1&y=%20"],
    ["/a?", "/a", ""],
    ["/a?b?c", "/a", "b?c"],
    ["/A/%41%2Fb", "/A/A%2Fb", ""],
    ["/100%25/%zz", "/100%25/%zz", ""],
    ["/a/../b/./c?x", "/b/c", "x"],
    ["/%2e%2e/x", "/x", ""],
    ["/ä", "/ä", ""],
    ["/a?x=\\", "/a", "x=\\"],
    ["//health", "//health", ""],
    ["http://other.example/a?b", "/a", "b"],
  ])("%s is %s with the query %j", (url, path, query) => {
    expect(target(url)).toEqual({ path, query });
  });

  it.each(["localhost", "LOCALHOST:80", "[::1]:4100", "127.0.0.1:1"])(
    "takes the host %s",
    (host) => {
      expect(target("/a", host)).toEqual({ path: "/a", query: "" });
    },
  );

  it.each([
    ["/a", "", "Missing host header."],
    ["/a", "a b", "Invalid URL."],
    ["/a", "user@host", "Invalid host header."],
    ["/a", "host/path", "Invalid host header."],
    ["/a\\b", "localhost", "Backslash in request path."],
    ["*", "localhost", "Invalid URL."],
    ["http://", "localhost", "Invalid absolute URL."],
  ])("refuses %j of the host %j", (url, host, msg) => {
    expect(target(url, host)).toEqual({ type: "request_malformed", loc: [], msg });
  });
});
