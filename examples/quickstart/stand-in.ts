// Stands in for the models, so that the example runs without a key and without a network. It
// understands nothing, it only counts words; the same request always gets the same answer.
import * as ag from "@agate/sdk";
import { passages } from "./passages.ts";

const MODEL = "word-counter";
const DIMENSIONS = 2048;

interface EmbedRequest {
  readonly texts: readonly string[];
  readonly dimensions?: number | undefined;
}

/** A word counts in one dimension, which a hash of it chooses, and counts more the rarer it is. */
export const embed = ag.instrument({ name: "embeddings", kind: "EMBEDDING", ignoreOutputs: true })(
  ({ texts, dimensions = DIMENSIONS }: EmbedRequest): number[][] => {
    describeCall("embeddings");
    ag.tracing.storeMetrics({ inputTokens: tokensIn(texts.join(" ")) });
    return texts.map((text) => vectorOf(text, dimensions));
  },
);

const OPENINGS = {
  plain: "",
  formal: "The sources state the following.",
  playful: "Here is a gem!",
} as const;

interface SummaryRequest {
  readonly text: string;
  readonly question: string;
  readonly tone: keyof typeof OPENINGS;
  readonly sentences: number;
  readonly bullets: boolean;
  readonly maxTokens?: number | undefined;
}

/** The sentences that have most to do with the question, as they are and in their order. */
export const summarize = ag.instrument({ name: "chat", kind: "LLM" })(function* (
  request: SummaryRequest,
) {
  describeCall("chat");
  const { text, question, tone, sentences, bullets, maxTokens } = request;
  const opening = OPENINGS[tone];
  let outputTokens = tokensIn(opening);
  if (opening !== "") yield bullets ? `${opening}\n` : `${opening} `;
  for (const sentence of bestSentences(text, question, sentences)) {
    const tokens = outputTokens + tokensIn(sentence);
    if (maxTokens !== undefined && tokens > maxTokens) break;
    outputTokens = tokens;
    yield bullets ? `- ${sentence}\n` : `${sentence} `;
  }
  ag.tracing.storeMetrics({ inputTokens: tokensIn(`${text} ${question}`), outputTokens });
});

/** Stands in for a model that judges: an answer is relevant if it has the words of its question. */
export const judge = ag.instrument({ name: "judge", kind: "LLM" })((prompt: string): string => {
  describeCall("chat");
  const [, question = "", answer = ""] =
    /Question: (.*)\nAnswer: ([\s\S]*?)\n\n/.exec(prompt) ?? [];
  const asked = new Set(wordsOf(question));
  const said = new Set(wordsOf(answer));
  const shared = asked.intersection(said).size;
  const label = shared === asked.size ? "yes" : shared > 0 ? "partly" : "no";
  const explanation = `The answer has ${shared} of ${asked.size} words of the question.`;
  const verdict = JSON.stringify({ label, explanation });
  ag.tracing.storeMetrics({ inputTokens: tokensIn(prompt), outputTokens: tokensIn(verdict) });
  return verdict;
});

/** An unknown provider has no prices, so the stand-in has no cost. */
function describeCall(operation: "chat" | "embeddings"): void {
  ag.tracing.storeMeta({
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": "stand-in",
    "gen_ai.request.model": MODEL,
  });
}

function bestSentences(text: string, question: string, limit: number): string[] {
  const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
  const sentences = [...segmenter.segment(text)].map(({ segment }) => segment.trim());
  const asked = new Set(wordsOf(question));
  const score = (sentence: string) =>
    wordsOf(sentence).reduce((sum, word) => sum + (asked.has(word) ? 10 : 1), 0);
  const best = sentences.toSorted((one, other) => score(other) - score(one)).slice(0, limit);
  return sentences.filter((sentence) => best.includes(sentence));
}

function vectorOf(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of wordsOf(text)) vector[hashOf(word) % dimensions]! += rarity(word);
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

function rarity(word: string): number {
  const count = wordsOfPassages.filter((words) => words.has(word)).length;
  return Math.log(1 + passages.length / Math.max(count, 1));
}

/** FNV-1a. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(word)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash;
}

const COMMON_WORDS = new Set(
  `a about an and are as at be but by can did do does for from get had has have how i in into is it
  its like made make me of on or so some tell than that the their them they this to was were what
  when where which who why will with you`.split(/\s+/),
);

/** The words that tell texts apart, in the singular. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return words
    .filter((word) => !COMMON_WORDS.has(word))
    .map((word) => (word.length > 3 ? word.replace(/s$/, "") : word));
}

const wordsOfPassages = passages.map(({ text }) => new Set(wordsOf(text)));

/** Its tokens are words. */
function tokensIn(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
