import * as ag from "@agate/sdk";
import { z } from "zod";
import { EmbedConfig, embedTexts } from "./embed.ts";
import { type Passage, passages } from "./passages.ts";

export class RetrieveConfig extends ag.BaseModel {
  topK = ag.Field(ag.int, { default: 2, ge: 1, le: 12, description: "Passages at most." });
  minScore = ag.Field(ag.float, { default: 0.12, ge: 0, le: 1 });
}

interface Found extends Passage {
  readonly score: number;
}

/** The passages that have most in common with a question, the best first. */
export const retrieve = ag.route("/retrieve", {
  config: RetrieveConfig,
  input: z.object({ question: z.string() }),
})(async ({ question }, { config }): Promise<Found[]> => {
  // A real collection would be embedded once, and its vectors kept in a database.
  const texts = passages.map(({ title, text }) => `${title}. ${text}`);
  const [asked = [], ...vectors] = await embedTexts([question, ...texts], new EmbedConfig());
  return rank(asked, vectors)
    .filter(({ score }) => score >= config.minScore)
    .slice(0, config.topK);
});

function rank(asked: number[], vectors: number[][]): Found[] {
  return passages
    .map((passage, index) => ({ ...passage, score: similarity(asked, vectors[index]!) }))
    .sort((one, other) => other.score - one.score);
}

/** The cosine of the angle between two vectors of length 1. */
function similarity(one: number[], other: number[]): number {
  const sum = one.reduce((total, value, index) => total + value * other[index]!, 0);
  return Math.round(sum * 1000) / 1000;
}
