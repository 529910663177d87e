import * as ag from "@agate/sdk";
import { supportedLlmModels } from "@agate/sdk/assets";
import { z } from "zod";
import * as openai from "./openai.ts";
import * as standIn from "./stand-in.ts";

export class SummarizeConfig extends ag.BaseModel {
  prompt = ag.Field(ag.str, { default: "Answer from the text alone." });
  tone = ag.Field(ag.MultipleChoice({ choices: ["plain", "formal", "playful"] }), {
    default: "plain",
  });
  sentences = ag.Field(ag.int, { default: 3, ge: 1, le: 10 });
  bullets = ag.Field(ag.bool, { default: false });
  model = ag.Field(ag.GroupedMultipleChoice({ choices: supportedLlmModels }), {
    default: "gpt-5-mini",
  });
  maxTokens = ag.Field(ag.int, {
    default: -1,
    ge: -1,
    le: 4096,
    description: "Tokens of the answer at most; -1 sets no limit.",
  });
}

const input = z.object({
  text: z.string().meta({ description: "What is summarized." }),
  question: z.string().default("").meta({ description: "What the summary is to answer." }),
});

/** Streams the summary: a function that gives its result in pieces is a route that streams. */
export const summarize = ag.route("/summarize", { config: SummarizeConfig, input })(
  async function* ({ text, question }, { config, signal }) {
    const { prompt, tone, sentences, bullets, model } = config;
    const maxTokens = config.maxTokens > 0 ? config.maxTokens : undefined;
    if (!openai.isConfigured) {
      yield* standIn.summarize({ text, question, tone, sentences, bullets, maxTokens });
      return;
    }
    const style = `Write at most ${sentences} sentences${bullets ? " as a bullet list" : ""}, in a ${tone} tone.`;
    const messages = [
      { role: "system", content: `${prompt} ${style}` },
      { role: "user", content: `${text}\n\n${question}`.trim() },
    ] as const;
    yield* openai.chat({ model, messages, max_completion_tokens: maxTokens, signal });
  },
);
