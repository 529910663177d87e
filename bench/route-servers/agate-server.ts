import { BaseModel, Field, init, int, route, serve, str } from "@agate/sdk";
import { z } from "zod";
import { summarize } from "./summarize.ts";

init(JSON.parse(process.env.OPTIONS ?? "{}"));

class SummarizeConfig extends BaseModel<SummarizeConfig> {
  prompt = Field(str, { default: "In short:" });
  words = Field(int, { default: 8, ge: 1, le: 100 });
}

route("/summarize", {
  config: SummarizeConfig,
  input: z.object({ text: z.string() }),
  output: z.string(),
})(async ({ text }, { config }) => summarize(text, config.words, config.prompt));

const { port } = await serve({ port: 0 });
process.stdout.write(`listening ${port}\n`);
