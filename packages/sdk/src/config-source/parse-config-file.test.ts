import { describe, expect, test } from "vitest";
import { parseConfigFile } from "./parse-config-file.ts";

const GOOD = { variants: { default: { "/": { a: 1 } } }, environments: { production: "default" } };

function problemOf(content: unknown): string {
  const parsed = parseConfigFile(typeof content === "string" ? content : JSON.stringify(content));
  return parsed.kind === "broken" ? parsed.problem : "none";
}

test("a file is read, with a byte order mark too", () => {
  const parsed = parseConfigFile(`\ufeff${JSON.stringify(GOOD)}`);
  expect(parsed).toEqual({
    kind: "parsed",
    file: {
      application: null,
      variants: new Map([["default", { "/": { a: 1 } }]]),
      environments: new Map([["production", "default"]]),
    },
  });
});

test("environments may be left out", () => {
  expect(problemOf({ variants: {} })).toBe("none");
});

test("names like __proto__ are names", () => {
  const parsed = parseConfigFile(
    '{"variants":{"__proto__":{"/":{"__proto__":1}}},"environments":{"constructor":"__proto__"}}',
  );
  if (parsed.kind !== "parsed") throw new Error(parsed.problem);
  expect([...parsed.file.variants.keys()]).toEqual(["__proto__"]);
  expect([...parsed.file.environments]).toEqual([["constructor", "__proto__"]]);
});

describe("what is wrong, and what to write", () => {
  test.each<[unknown, string]>([
    ["[]", 'The file is a list. Write { "variants"'],
    ['{"variants": {}', "Line 1, column 16: The closing } is missing."],
    [{}, '"variants" is missing. Write { "default"'],
    [
      { ...GOOD, enviroments: {} },
      '"enviroments" means nothing in the file. Write "environments".',
    ],
    [{ ...GOOD, xyz: {} }, 'It takes "application", "variants", "environments".'],
    [{ ...GOOD, application: 3 }, '"application" is 3. Write the name'],
    [{ ...GOOD, variants: { default: 3 } }, '"variants"."default" is 3. Write { "/summarize"'],
    [
      { ...GOOD, variants: { default: { summarize: {} } } },
      '"variants"."default" has "summarize", which is not the path of a route. Write "/summarize"',
    ],
    [
      { ...GOOD, variants: { default: { "/": [] } } },
      '"variants"."default"."/" is a list. Write { "temperature": 0.2 } there.',
    ],
    [
      { ...GOOD, environments: { production: "other" } },
      '"environments"."production" names the variant "other", which "variants" does not have. It has "default".',
    ],
    [
      { ...GOOD, environments: { production: 3 } },
      '"environments"."production" is 3. Write "default"',
    ],
    [
      { ...GOOD, environments: { production: { variant: "default", revision: 3 } } },
      '"revision" means nothing in "environments"."production". It takes "variant".',
    ],
    [
      { ...GOOD, environments: { production: {} } },
      '"environments"."production"."variant" is missing. Write the name of a variant.',
    ],
  ])("%j", (content, says) => {
    expect(problemOf(content)).toContain(says);
  });
});
