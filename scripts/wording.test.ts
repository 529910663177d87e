import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

/** Subjects that leave open which component acts. */
const UNNAMED = /\b(?:nobody|somebody|anybody|everybody|whoever|whomever|whatever)\b/gi;
const TESTS = /\.(?:test|test-d|contract|fixture)\.tsx?$|\/testing\//;
/** Released migrations are never changed. */
const FROZEN = /\/migrations\//;

function uses(pattern: string): string[] {
  return globSync(pattern, { cwd: root, exclude: (path) => /node_modules|dist/.test(path) })
    .filter((file) => !TESTS.test(file) && !FROZEN.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), "utf8")
        .split("\n")
        .flatMap((line, at) =>
          (line.match(UNNAMED) ?? []).map(() => `${file}:${at + 1}: ${line.trim()}`),
        ),
    );
}

it.each([
  ["product sources", "{packages,examples,scripts,bench}/**/*.{ts,tsx,mjs}"],
  ["the documentation", "{*.md,docs/**/*.md,packages/*/README.md,examples/*/README.md}"],
])("names who acts in %s", (_name, pattern) => {
  const found = uses(pattern);
  expect(found.length, found.join("\n")).toBeLessThanOrEqual(5);
});
