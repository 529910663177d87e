import fc from "fast-check";
import { expect, it } from "vitest";
import { isKeyEnvironment, isWithinLimit, reachesEnvironment } from "./key-limit.ts";

const APPLICATIONS = ["support", "shop"];
const SLUGS = ["production", "staging"];

it.each(["staging", "support/staging", "a/b", "my-app/qa.1"])("%s limits a key", (text) => {
  expect(isKeyEnvironment(text)).toBe(true);
});

it.each([
  "",
  "/",
  "support/",
  "/staging",
  "a/b/c",
  "Staging",
  "support/*",
  "env_k3v5zq7m2c4nxw6brt2a",
])("%s limits no key", (text) => {
  expect(isKeyEnvironment(text)).toBe(false);
});

const limit = fc.option(
  fc.uniqueArray(
    fc.constantFrom(
      ...SLUGS,
      ...APPLICATIONS.flatMap((app) => SLUGS.map((slug) => `${app}/${slug}`)),
    ),
  ),
  { nil: null },
);

function reached(names: readonly string[] | null): string[] {
  const set = names && new Set(names);
  return APPLICATIONS.flatMap((app) =>
    SLUGS.filter((slug) => reachesEnvironment(set, { application: { slug: app }, slug })).map(
      (slug) => `${app}/${slug}`,
    ),
  );
}

it("reaches what is named, with or without its application", () => {
  fc.assert(
    fc.property(limit, (names) => {
      const all = APPLICATIONS.flatMap((app) => SLUGS.map((slug) => `${app}/${slug}`));
      const expected = all.filter(
        (each) => names === null || names.some((name) => `/${each}`.endsWith(`/${name}`)),
      );
      expect(reached(names)).toEqual(expected);
    }),
  );
});

it("finds no limit within another that it reaches further than", () => {
  fc.assert(
    fc.property(limit, limit, (inner, outer) => {
      if (!isWithinLimit(inner, outer && new Set(outer))) return;
      expect(reached(outer)).toEqual(expect.arrayContaining(reached(inner)));
    }),
  );
});

it.each([
  [["support/staging"], ["staging"], true],
  [["staging"], ["support/staging"], false],
  [null, ["staging"], false],
  [["staging"], null, true],
  [null, null, true],
])("%j within %j: %s", (inner, outer, isWithin) => {
  expect(isWithinLimit(inner, outer && new Set(outer))).toBe(isWithin);
});
