import { checks, evaluation, judge } from "@agate/sdk/evals";
import { z } from "zod";
import { answer } from "./answer.ts";
import * as openai from "./openai.ts";
import * as standIn from "./stand-in.ts";

const expected = z.object({
  /** The title of the passage that has the answer; null if none has. */
  source: z.string().nullable(),
  words: z.array(z.string()),
});

/** Does the answer come from the right passage, and does it answer the question? */
export const answers = evaluation("answers", {
  route: answer,
  testset: [
    {
      id: "bands",
      inputs: { question: "How do agates get their bands?" },
      expected: { source: "How agates get their bands", words: ["silica"] },
    },
    {
      id: "moss",
      inputs: { question: "Is moss agate alive?" },
      expected: { source: "Moss agate", words: ["alive"] },
    },
    {
      id: "cameo",
      inputs: { question: "How is a cameo made?" },
      expected: { source: "Onyx and cameos", words: ["layer"] },
    },
    {
      id: "age",
      inputs: { question: "How old are Lake Superior agates?" },
      expected: { source: "Lake Superior agates", words: ["1.1 billion years"] },
    },
    {
      id: "dyed",
      inputs: { question: "Why are so many agates dyed?" },
      expected: { source: "Dyed agate", words: ["dyed"] },
    },
    {
      id: "unknown",
      inputs: { question: "Who won the football match?" },
      expected: { source: null, words: [] },
    },
  ],
  expected,
  scorers: {
    source: ({ output, expected: { source } }) => (output.sources[0]?.title ?? null) === source,
    mentions: checks.contains(undefined, {
      output: (output: { answer: string }) => output.answer,
      expected: ({ words }: z.infer<typeof expected>) => words,
    }),
    relevant: judge({
      model: openai.isConfigured ? openai.judgeEndpoint() : standIn.judge,
      prompt: ({ inputs, output }: { inputs: { question: string }; output: { answer: string } }) =>
        `Does the answer have to do with the question?\nQuestion: ${inputs.question}\nAnswer: ${output.answer}`,
      labels: { yes: 1, partly: 0.5, no: 0 },
    }),
  },
  gate: {
    scores: { source: { min: 1 }, mentions: { min: 0.8 }, relevant: { min: 0.5 } },
    errors: { share: 0 },
  },
});
