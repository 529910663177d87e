import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { priceOf } from "@agate/spans";
import { afterAll, describe, expect, it } from "vitest";
import { loadPrices } from "./load-prices.ts";

const folder = mkdtempSync(join(tmpdir(), "agate-prices-"));
afterAll(() => rmSync(folder, { recursive: true }));

const AT = Date.UTC(2026, 10, 15) * 1000;
let files = 0;

function fileWith(content: unknown): string {
  const file = join(folder, `prices-${files++}.json`);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

function tableWith(content: unknown) {
  const loaded = loadPrices(fileWith(content));
  if (loaded.kind === "invalid") throw new Error(loaded.reason);
  return loaded.table;
}

describe("a price file", () => {
  it("overrides what is shipped, adds to it, and leaves the rest", () => {
    const table = tableWith({
      providers: {
        openai: [{ models: ["gpt-5-mini"], input: 9, output: 90 }],
        Acme: [{ models: ["acme-*"], input: 1, output: 2, cached_input: 0.5, cache_write: 3 }],
      },
    });
    expect(priceOf(table, "openai", "gpt-5-mini-2025-08-07", AT)).toMatchObject({ input: 9 });
    expect(priceOf(table, "acme", "acme-large", AT)).toMatchObject({
      input: 1,
      output: 2,
      cachedInput: 0.5,
      cacheWrite: 3,
    });
    expect(priceOf(table, null, "acme-large", AT)).toMatchObject({ input: 1 });
    expect(priceOf(table, "openai", "gpt-4o", AT)).toMatchObject({ input: 2.5 });
  });

  it("holds from the day it says; before, the shipped price does", () => {
    const table = tableWith({
      providers: {
        openai: [
          { models: ["gpt-4o"], from: "2026-12-01", input: 1 },
          { models: ["gpt-4o"], from: "2026-12-24", input: 0 },
        ],
      },
    });
    const on = (day: string) => priceOf(table, "openai", "gpt-4o", Date.parse(day) * 1000)?.input;
    expect(on("2026-11-30")).toBe(2.5);
    expect(on("2026-12-01")).toBe(1);
    expect(on("2026-12-23T23:59:59.999Z")).toBe(1);
    expect(on("2026-12-25")).toBe(0);
  });

  it("may call a provider by any of its names", () => {
    const table = tableWith({ providers: { vertex_ai: [{ models: ["mine"], input: 1 }] } });
    expect(priceOf(table, "gcp.vertex_ai", "mine", AT)).toMatchObject({ input: 1 });
  });

  it.each([
    ["no JSON", "{", "it is not JSON"],
    ["a list", [], "the file must be an object"],
    ["no providers", {}, "providers must be an object"],
    [
      "a misspelt key",
      { providers: { openai: [{ models: ["a"], inptu: 1 }] } },
      'providers.openai[0] has an unknown key "inptu"; known are models, from, input',
    ],
    ["no list", { providers: { openai: {} } }, "providers.openai must be a list of entries"],
    [
      "no models",
      { providers: { openai: [{ models: ["a"], input: 1 }, { input: 1 }] } },
      "providers.openai[1].models must be a list of model names",
    ],
    [
      "an unnamed model",
      { providers: { openai: [{ models: ["a", ""], input: 1 }] } },
      'providers.openai[0].models[1] must be a model\'s name, but is ""',
    ],
    [
      "a price as text",
      { providers: { openai: [{ models: ["a"], input: "1" }] } },
      'providers.openai[0].input must be US dollars per million tokens, such as 0.25, but is "1"',
    ],
    [
      "a negative price",
      { providers: { openai: [{ models: ["a"], input: 1, output: -1 }] } },
      "providers.openai[0].output must be US dollars per million tokens",
    ],
    [
      "no price",
      { providers: { openai: [{ models: ["a"], output: 1 }] } },
      "providers.openai[0].input must be US dollars per million tokens, such as 0.25, but is missing",
    ],
    [
      "a date that is none",
      { providers: { openai: [{ models: ["a"], from: "2026-13-01", input: 1 }] } },
      'providers.openai[0].from must be a date such as "2026-11-15", but is "2026-13-01"',
    ],
    [
      "the same models twice",
      {
        providers: {
          openai: [
            { models: ["a"], input: 1 },
            { models: ["A"], input: 2 },
          ],
        },
      },
      "providers.openai[1] lists the same models as an entry before it",
    ],
    [
      "the same provider twice",
      { providers: { google: [], gemini: [] } },
      "providers.gemini is listed already",
    ],
  ])("with %s is refused, and told where and why", (_, content, reason) => {
    const file = fileWith(content);
    const loaded = loadPrices(file);
    expect(loaded).toMatchObject({
      kind: "invalid",
      reason: expect.stringContaining(`The price file ${file} cannot be used: ${reason}`),
    });
  });

  it("that is not there is refused", () => {
    const file = join(folder, "nowhere.json");
    expect(loadPrices(file)).toEqual({
      kind: "invalid",
      reason: `The price file ${file} cannot be used: it cannot be read (ENOENT).`,
    });
  });
});
