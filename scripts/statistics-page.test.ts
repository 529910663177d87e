import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { PAGE, renderPage } from "./statistics-page.ts";

const page = readFileSync(PAGE, "utf8");

it("has the pass rates that the statistics give (their rows of up to 20 cases)", () => {
  expect(page, "Run scripts/statistics-page.ts to write it anew.").toBe(renderPage(page, 20));
});

it("has every row", () => {
  expect(page.match(/^\| \d+ \| \d+ \|( [\d % /]+ \|){4}$/gm)).toHaveLength(2 * 7 * 3);
});
