import { numberOf } from "../otlp-span.ts";
import type { NumberField } from "./dialect.ts";

// The rule of `usage_details`, as Langfuse's server and SDKs apply it:
// - Langfuse's own form is a flat object of counts that exclude each other. `input` leaves out what
//   `input_cached_tokens` or any other `input_*` counts, `output` what `output_*` does: a side is
//   the sum of its keys. Anthropic's `cache_read_input_tokens` and `cache_creation_input_tokens`
//   are left out of `input_tokens` in the same way.
// - OpenAI's forms (`prompt_tokens` with `prompt_tokens_details`, `input_tokens` with
//   `input_tokens_details`) are sent as the provider answered: the details are a part of the count.
// - Some clients fill in Langfuse's form from counts that include their details. It shows when input
//   and output alone make up the total.

interface Side {
  readonly field: "inputTokens" | "outputTokens";
  readonly prefix: string;
  /** Names of the side's count, the best first. */
  readonly counts: readonly string[];
  /** Those of them that include their details in any case. */
  readonly inclusive: ReadonlySet<string>;
  /** Objects of details that the count includes. */
  readonly objects: readonly string[];
  /** The details that have a field, by how their names begin. */
  readonly details: readonly (readonly [field: DetailField, name: RegExp])[];
}

type DetailField = "cachedInputTokens" | "cacheWriteTokens" | "reasoningTokens";

const INPUT: Side = {
  field: "inputTokens",
  prefix: "input_",
  counts: ["input", "input_tokens", "prompt_tokens", "promptTokens"],
  inclusive: new Set(["prompt_tokens", "promptTokens"]),
  objects: ["prompt_tokens_details", "input_tokens_details", "input_token_details"],
  details: [
    ["cachedInputTokens", /^cache(?:d|_read)/],
    ["cacheWriteTokens", /^(?:cache_(?:creation|write)|ephemeral_)/],
  ],
};
const OUTPUT: Side = {
  field: "outputTokens",
  prefix: "output_",
  counts: ["output", "output_tokens", "completion_tokens", "completionTokens"],
  inclusive: new Set(["completion_tokens", "completionTokens"]),
  objects: ["completion_tokens_details", "output_tokens_details", "output_token_details"],
  details: [["reasoningTokens", /^reasoning/]],
};
const TOTALS: readonly string[] = ["total", "total_tokens", "totalTokens"];

/** Anthropic's names for details of the input. */
const ANTHROPIC: ReadonlyMap<string, string> = new Map([
  ["cache_read_input_tokens", "cache_read"],
  ["cache_creation_input_tokens", "cache_creation"],
]);

type Details = Readonly<Record<string, unknown>>;

/** The tokens in an object of `usage_details`. */
export function tokensIn(details: Details): Partial<Record<NumberField, number>> {
  const numbers: Partial<Record<NumberField, number>> = {};
  const total = firstCount(details, TOTALS)?.count ?? null;
  if (total !== null) numbers.totalTokens = total;

  const input = readSide(details, INPUT);
  const output = readSide(details, OUTPUT);
  const isInclusive = input.count !== null && total === input.count + (output.count ?? 0);
  for (const { side, count, apart, parts } of [input, output]) {
    const all = isInclusive ? count : count === null && apart === 0 ? null : (count ?? 0) + apart;
    if (all !== null) numbers[side.field] = all;
    for (const [field, part] of parts) numbers[field] = part;
  }
  return numbers;
}

/** Whether tokens read from an object show all that it says. */
export function showsAll(
  tokens: Partial<Readonly<Record<NumberField, number>>>,
  details: Details,
): boolean {
  const names = Object.keys(details);
  return (
    names.length > 0 &&
    names.every((name) => {
      const field = fieldShowing(name);
      return field !== null && tokens[field] === details[name];
    })
  );
}

function fieldShowing(name: string): NumberField | null {
  if (TOTALS.includes(name)) return "totalTokens";
  for (const side of [INPUT, OUTPUT]) {
    if (side.counts.includes(name)) return side.field;
    const detail = detailName(name, side);
    const field = detail === null ? null : detailField(detail, side);
    // The record has no place for tokens written to the cache.
    if (field !== null && field !== "cacheWriteTokens") return field;
  }
  return null;
}

function readSide(details: Details, side: Side) {
  const counted = firstCount(details, side.counts);
  const objects = side.objects.map((name) => details[name]).filter(isObject);
  const included = partsOf(
    objects.flatMap((object) => Object.entries(object)),
    side,
  );
  const own: [string, unknown][] = [];
  const anthropic: [string, unknown][] = [];
  for (const [name, value] of Object.entries(details)) {
    const detail = side.counts.includes(name) ? null : detailName(name, side);
    if (detail !== null) (ANTHROPIC.has(name) ? anthropic : own).push([detail, value]);
  }
  const flat = partsOf(own, side);
  // LiteLLM sends the same detail under both names.
  const others = partsOf(
    anthropic.filter(([detail]) => !flat.byField.has(detailField(detail, side) as DetailField)),
    side,
  );
  const isInclusive = objects.length > 0 || (counted !== null && side.inclusive.has(counted.name));
  return {
    side,
    count: counted?.count ?? null,
    /** What is to be added to the count. */
    apart: isInclusive ? 0 : flat.sum + others.sum,
    parts: new Map([...others.byField, ...flat.byField, ...included.byField]),
  };
}

/** A detail's name without its side; null for what is no detail of the side. */
function detailName(name: string, { prefix, field }: Side): string | null {
  if (field === "inputTokens" && ANTHROPIC.has(name)) return ANTHROPIC.get(name) as string;
  if (!name.startsWith(prefix)) return null;
  const detail = name.slice(prefix.length);
  // LangChain's counts of a service tier are a second view of all the tokens, not a part of them.
  return detail === "priority" || detail.startsWith("priority_") ? null : detail;
}

function detailField(detail: string, { details }: Side): DetailField | null {
  return details.find(([, name]) => name.test(detail))?.[0] ?? null;
}

function partsOf(details: readonly (readonly [name: string, value: unknown])[], side: Side) {
  const byField = new Map<DetailField, number>();
  let sum = 0;
  for (const [name, value] of details) {
    const count = countOf(value);
    if (count === null) continue;
    sum += count;
    const field = detailField(name, side);
    if (field !== null) byField.set(field, (byField.get(field) ?? 0) + count);
  }
  return { sum, byField };
}

function firstCount(details: Details, names: readonly string[]) {
  for (const name of names) {
    const count = countOf(details[name]);
    if (count !== null) return { name, count };
  }
  return null;
}

function countOf(value: unknown): number | null {
  return typeof value === "number" || typeof value === "string" ? numberOf(value) : null;
}

function isObject(value: unknown): value is Details {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
