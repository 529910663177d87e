// Writes the prices that Agate ships, packages/spans/src/pricing/prices.gen.json, from the
// installed @pydantic/genai-prices. Run it after updating that package:
//
//   node scripts/update-prices.ts
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parsePrices } from "@agate/spans";
import {
  type MatchLogic,
  type ModelInfo,
  type ModelPrice,
  waitForUpdate,
} from "@pydantic/genai-prices";

const TARGET = new URL("../packages/spans/src/pricing/prices.gen.json", import.meta.url);

// Those whose names arrive in spans; the package also lists editors and resellers' resellers.
const PROVIDERS: ReadonlySet<string> = new Set([
  "anthropic",
  "aws",
  "azure",
  "baseten",
  "cerebras",
  "cloudflare",
  "cohere",
  "deepseek",
  "fireworks",
  "google",
  "groq",
  "minimax",
  "mistral",
  "moonshotai",
  "novita",
  "openai",
  "openrouter",
  "perplexity",
  "together",
  "voyageai",
  "x-ai",
  "zai",
  "zhipuai",
]);

interface Entry {
  readonly models: readonly string[];
  readonly from?: string;
  readonly input: number;
  readonly output?: number;
  readonly cached_input?: number;
  readonly cache_write?: number;
}

const left: string[] = [];
const providers: Record<string, Entry[]> = {};
for (const provider of (await waitForUpdate()) ?? []) {
  if (!PROVIDERS.has(provider.id)) continue;
  const entries = provider.models.flatMap((model) => entriesOf(provider.id, model));
  if (entries.length > 0) providers[provider.id] = entries;
}

const head = {
  updated: new Date().toISOString().slice(0, 10),
  source: `@pydantic/genai-prices ${packageVersion()}, https://github.com/pydantic/genai-prices`,
  licence: "MIT, Copyright (c) Pydantic Services Inc. 2025 to present",
  unit: "US dollars per million tokens",
};
const text = fileText();
const check = parsePrices(JSON.parse(text));
if (check.kind === "invalid") throw new Error(`The new prices cannot be read: ${check.reason}`);
writeFileSync(TARGET, text);

const count = Object.values(providers).reduce((sum, entries) => sum + entries.length, 0);
console.log(`${count} prices of ${Object.keys(providers).length} providers`);
if (left.length > 0) console.log(`left out:\n  ${left.join("\n  ")}`);

// One entry a line, so that a change of price is a change of one line.
function fileText(): string {
  const lists = Object.entries(providers).map(
    ([name, entries]) =>
      `${JSON.stringify(name)}: [\n${entries.map((entry) => JSON.stringify(entry)).join(",\n")}\n]`,
  );
  const fields = Object.entries(head).map(([key, value]) => `"${key}": ${JSON.stringify(value)}`);
  return `{\n${fields.join(",\n")},\n"providers": {\n${lists.join(",\n")}\n}\n}\n`;
}

function entriesOf(provider: string, model: ModelInfo): readonly Entry[] {
  const models = [...new Set(namesOf(provider, model, model.match))];
  if (models.length === 0) return [];
  return datedPrices(model).flatMap(({ prices, ...from }) => {
    const perToken = tokenPrices(prices);
    return perToken === null ? [] : [{ models, ...from, ...perToken }];
  });
}

function datedPrices(model: ModelInfo): readonly { prices: ModelPrice; from?: string }[] {
  if (!Array.isArray(model.prices)) return [{ prices: model.prices }];
  return model.prices.flatMap(({ constraint, prices }) => {
    if (constraint === undefined) return [{ prices }];
    // Prices by the time of day are not told apart.
    return constraint.type === "start_date" ? [{ prices, from: constraint.start_date }] : [];
  });
}

function tokenPrices(price: ModelPrice): Omit<Entry, "models" | "from"> | null {
  // Of prices in tiers the first: most calls are short.
  const base = (key: string) => {
    const value = price[key];
    return typeof value === "object" ? value.base : value;
  };
  const input = base("input_mtok");
  const output = base("output_mtok");
  const cachedInput = base("cache_read_mtok");
  const cacheWrite = base("cache_write_mtok");
  if (input === undefined) return null;
  return {
    input,
    ...(output === undefined ? {} : { output }),
    ...(cachedInput === undefined ? {} : { cached_input: cachedInput }),
    ...(cacheWrite === undefined ? {} : { cache_write: cacheWrite }),
  };
}

function namesOf(provider: string, model: ModelInfo, match: MatchLogic): readonly string[] {
  if ("or" in match) return match.or.flatMap((part) => namesOf(provider, model, part));
  if ("equals" in match) return [match.equals.toLowerCase()];
  if ("starts_with" in match) return [`${match.starts_with.toLowerCase()}*`];
  if ("ends_with" in match) return [`*${match.ends_with.toLowerCase()}`];
  if ("contains" in match) return [`*${match.contains.toLowerCase()}*`];
  if ("regex" in match) {
    // A name and a date: looking a model up does without the date anyway.
    const name = /^\^(.*)-\\d\{(?:8\}|4\}-\\d\{2\}-\\d\{2\})\$$/.exec(match.regex)?.[1];
    if (name !== undefined) return [name.replaceAll("\\.", ".").toLowerCase()];
  }
  if ("and" in match) {
    // A name and what else may not be in it; a longer name of its own goes before this one.
    const [first, second] = match.and;
    if (first && "starts_with" in first && second && "regex" in second) {
      return [`${first.starts_with.toLowerCase()}*`];
    }
  }
  left.push(`${provider} ${model.id}: ${JSON.stringify(match)}`);
  return [];
}

function packageVersion(): string {
  const entry = createRequire(import.meta.url).resolve("@pydantic/genai-prices");
  const file = new URL("../package.json", `file://${entry}`);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
