import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const page = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
const [, section = ""] = page.split("### Limits, and the tests that cross them");

/** The words in backticks of a cell. */
function namesIn(cell = ""): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
}

const ROWS = [...section.matchAll(/^\| (`.+) \| (`.+) \| (`.+) \|$/gm)].map(
  ([, limits, source, tests]) => ({
    limits: namesIn(limits),
    source: namesIn(source)[0] as string,
    tests: namesIn(tests),
  }),
);

describe("the table of limits in CONTRIBUTING.md", () => {
  it("has rows", () => expect(ROWS.length).toBeGreaterThan(15));

  it.each(ROWS)("names $limits where they are, and tests that are there", (row) => {
    const source = readFileSync(join(ROOT, row.source), "utf8");
    for (const limit of row.limits) {
      expect(source).toMatch(new RegExp(`^(export )?const ${limit} = [\\d(]`, "m"));
    }
    expect(row.tests.filter((test) => !existsSync(join(ROOT, test)))).toEqual([]);
  });
});
