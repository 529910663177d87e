import * as ag from "@agate/sdk";
import { z } from "zod";
import * as openai from "./openai.ts";
import * as standIn from "./stand-in.ts";

export class EmbedConfig extends ag.BaseModel {
  model = ag.Field(
    ag.MultipleChoice({ choices: ["text-embedding-3-small", "text-embedding-3-large"] }),
    { default: "text-embedding-3-small" },
  );
  dimensions = ag.Field(ag.int, {
    default: -1,
    ge: -1,
    le: 3072,
    description: "Numbers in a vector; -1 leaves it to the model.",
  });
}

/** Texts as vectors of length 1: the more two texts have in common, the nearer their vectors. */
export const embed = ag.route("/embed", {
  config: EmbedConfig,
  input: z.object({ texts: z.array(z.string()) }),
})(async ({ texts }, { config }) => embedTexts(texts, config));

export async function embedTexts(texts: string[], config: EmbedConfig): Promise<number[][]> {
  const dimensions = config.dimensions > 0 ? config.dimensions : undefined;
  return openai.isConfigured
    ? openai.embed({ model: config.model, input: texts, dimensions })
    : standIn.embed({ texts, dimensions });
}
