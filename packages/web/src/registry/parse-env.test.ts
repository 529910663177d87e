import { describe, expect, it } from "vitest";
import { parseEnv } from "./parse-env.ts";

describe("a .env file", () => {
  it.each([
    ["lines", "A=1\nB=two words\n\nC=\n", { A: "1", B: "two words", C: "" }],
    ["comments", "# A=0\nA=1 # one\nB='a # b' # c\n", { A: "1", B: "a # b" }],
    ["quotes", 'A="x y"\nB=\'it is\'\nC=`"`\n', { A: "x y", B: "it is", C: '"' }],
    [
      "several lines",
      'KEY="-----BEGIN\nabc=\n-----END"\nB="a\\nb"\nC=\'a\\nb\'\n',
      { KEY: "-----BEGIN\nabc=\n-----END", B: "a\nb", C: "a\\nb" },
    ],
    ["spaces and export", "  A = 1  \nexport B=2\n", { A: "1", B: "2" }],
    ["Windows line ends", "A=1\r\nB=2\r\n", { A: "1", B: "2" }],
    ["values with =", "URL=https://x/?a=b\nLAST=1", { URL: "https://x/?a=b", LAST: "1" }],
    ["other lines", "hello\n=1\nA=1\n", { A: "1" }],
  ])("is read as Node reads it: %s", (_, text, expected) => {
    expect(parseEnv(text)).toEqual(expected);
  });
});
