import * as ag from "@agate/sdk";
import { z } from "zod";
import { retrieve } from "./retrieve.ts";
import { SummarizeConfig, summarize } from "./summarize.ts";

/** Everything that a summary can be told, and what to look for. */
export class AnswerConfig extends SummarizeConfig {
  topK = ag.Field(ag.int, { default: 2, ge: 1, le: 12 });
  minScore = ag.Field(ag.float, { default: 0.12, ge: 0, le: 1 });
  fallback = ag.Field(ag.str, { default: "The collection says nothing about that." });
}

const input = z.object({
  question: z
    .string('Ask something: {"inputs": {"question": "What is agate?"}}.')
    .trim()
    .min(1, "Ask something."),
});

/** Answers a question from the collection. */
export const answer = ag.entrypoint({ config: AnswerConfig, input })(
  async ({ question }, { config, signal }) => {
    const { topK, minScore, fallback, ...style } = config;
    const found = await retrieve({ question }, { config: { topK, minScore } });
    if (found.length === 0) return { answer: fallback, sources: [] };

    const text = found.map((passage) => passage.text).join("\n\n");
    const summary = summarize({ text, question }, { config: style, signal });
    return {
      answer: (await Array.fromAsync(summary)).join("").trim(),
      sources: found.map(({ title, score }) => ({ title, score })),
    };
  },
);
