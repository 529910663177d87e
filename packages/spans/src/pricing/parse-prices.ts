import type { DatedPrices, PriceHistory, PriceLayer, ProviderPrices } from "./price-table.ts";
import { canonicalProvider } from "./provider-names.ts";

export type ParsedPrices =
  | {
      readonly kind: "parsed";
      readonly providers: PriceLayer["providers"];
      readonly updated: string | null;
    }
  /** What is wrong, where, and what to write instead. */
  | { readonly kind: "invalid"; readonly reason: string };

type Fields = Readonly<Record<string, unknown>>;

/** Carries a finding about the file out of the depths of it; never leaves this module. */
class PricesError extends Error {}

const EXAMPLE = '{"providers":{"openai":[{"models":["my-model"],"input":0.25,"output":2}]}}';
const FILE_KEYS = ["updated", "source", "licence", "unit", "providers"];
const ENTRY_KEYS = ["models", "from", "input", "output", "cached_input", "cache_write"];
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Reads a file of prices; docs/reference/span-record.md has the format. */
export function parsePrices(file: unknown): ParsedPrices {
  try {
    const fields = fieldsOf(file, "the file", FILE_KEYS);
    const { updated } = fields;
    if (updated !== undefined && !isDate(updated)) {
      throw wrong("updated", 'a date such as "2026-11-15"', updated);
    }
    const providers = new Map<string, ProviderPrices>();
    for (const [provider, entries] of Object.entries(fieldsOf(fields.providers, "providers"))) {
      const name = canonicalProvider(provider);
      if (providers.has(name)) {
        throw new PricesError(
          `providers.${provider} is listed already, as another name of ${name}`,
        );
      }
      providers.set(name, providerPrices(entries, `providers.${provider}`));
    }
    return {
      kind: "parsed",
      providers,
      updated: updated === undefined ? null : (updated as string),
    };
  } catch (error) {
    if (error instanceof PricesError) return { kind: "invalid", reason: error.message };
    throw error;
  }
}

function providerPrices(entries: unknown, where: string): ProviderPrices {
  if (!Array.isArray(entries)) throw wrong(where, "a list of entries", entries);
  // Entries for the same models are one history.
  const histories = new Map<string, { models: readonly string[]; history: DatedPrices[] }>();
  for (const [index, entry] of entries.entries()) {
    const place = `${where}[${index}]`;
    const fields = fieldsOf(entry, place, ENTRY_KEYS);
    const models = modelsOf(fields.models, `${place}.models`);
    const key = JSON.stringify(models);
    const prices = datedPrices(fields, place);
    const known = histories.get(key);
    if (known === undefined) histories.set(key, { models, history: [prices] });
    else if (known.history.every(({ from }) => from !== prices.from)) known.history.push(prices);
    else
      throw new PricesError(
        `${place} lists the same models as an entry before it, give it a later "from" date or remove one of them`,
      );
  }

  const exact = new Map<string, PriceHistory>();
  const patterns: { literal: number; pattern: RegExp; history: PriceHistory }[] = [];
  for (const { models, history } of histories.values()) {
    history.sort((a, b) => b.from - a.from);
    for (const model of models) {
      if (!model.includes("*")) {
        if (!exact.has(model)) exact.set(model, history);
      } else {
        patterns.push({ literal: model.length, pattern: patternOf(model), history });
      }
    }
  }
  // The longer a pattern, the more exactly it names a model: `gpt-4o-mini*` before `gpt-4o*`.
  patterns.sort((a, b) => b.literal - a.literal);
  return { exact, patterns };
}

function modelsOf(models: unknown, where: string): readonly string[] {
  const expected = 'a list of model names such as ["gpt-5-mini", "gpt-5-mini-*"]';
  if (!Array.isArray(models) || models.length === 0) throw wrong(where, expected, models);
  return models.map((model: unknown, index) => {
    if (typeof model === "string" && model.trim() !== "") return model.trim().toLowerCase();
    throw wrong(`${where}[${index}]`, "a model's name", model);
  });
}

function datedPrices(fields: Fields, where: string): DatedPrices {
  const price = (key: string) => {
    const value = fields[key];
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
    throw wrong(`${where}.${key}`, "US dollars per million tokens, such as 0.25", value);
  };
  const optionalPrice = (key: string) => (fields[key] === undefined ? null : price(key));
  const { from } = fields;
  if (from !== undefined && !isDate(from)) {
    throw wrong(`${where}.from`, 'a date such as "2026-11-15"', from);
  }
  return {
    from: from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(`${from}T00:00:00Z`) * 1000,
    input: price("input"),
    output: optionalPrice("output"),
    cachedInput: optionalPrice("cached_input"),
    cacheWrite: optionalPrice("cache_write"),
  };
}

function fieldsOf(value: unknown, where: string, keys?: readonly string[]): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw wrong(where, `an object, as in ${EXAMPLE}`, value);
  }
  const unknown = keys && Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) {
    throw new PricesError(
      `${where} has an unknown key ${JSON.stringify(unknown)}; known are ${keys?.join(", ")}`,
    );
  }
  return value as Fields;
}

function isDate(value: unknown): boolean {
  return typeof value === "string" && DATE.test(value) && !Number.isNaN(Date.parse(value));
}

function patternOf(model: string): RegExp {
  const literals = model.split("*").map((text) => text.replace(/[\\^$.+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(`^${literals.join(".*")}$`, "s");
}

function wrong(where: string, expected: string, actual: unknown): PricesError {
  const found = actual === undefined ? "missing" : shortened(JSON.stringify(actual));
  return new PricesError(`${where} must be ${expected}, but is ${found}`);
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
