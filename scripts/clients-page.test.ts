import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  CAPTURES,
  GUIDE,
  PAGE,
  readCaptures,
  renderGuide,
  renderPage,
  tracesOf,
} from "./clients-page.ts";

const captures = readCaptures(CAPTURES);
const HINT = "Run `node scripts/run.mjs scripts/clients-page.ts` to write it anew.";

it("has what becomes of each client's export", () => {
  const page = readFileSync(PAGE, "utf8");
  expect(page, HINT).toBe(renderPage(page, captures));
});

it("has the settings of each client in the guide", () => {
  const page = readFileSync(GUIDE, "utf8");
  expect(page, HINT).toBe(renderGuide(page, captures));
});

it.each(captures)("takes every span of $client", (capture) => {
  expect(capture.versions.length).toBeGreaterThan(0);
  expect(tracesOf(capture).length).toBeGreaterThan(0);
});

it("keeps captures small, and free of paths and keys of the machine that made them", () => {
  for (const name of readdirSync(CAPTURES)) {
    const file = join(CAPTURES, name);
    expect(statSync(file).size, name).toBeLessThan(50_000);
    expect(readFileSync(file, "utf8"), name).not.toMatch(
      /\/(?:home|work|tmp|Users)\/|site-packages/,
    );
  }
});
