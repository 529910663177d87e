import { BaseModel, Field, httpConfigSource, init, int, route, serve, str } from "@agate/sdk";
import { z } from "zod";
import { summarize } from "./summarize.ts";

const { OPTIONS = "{}", SPANS_URL, AGATE_BASE_URL, AGATE_API_KEY } = process.env;
let options = JSON.parse(OPTIONS);
if (SPANS_URL !== undefined) {
  // Spans go elsewhere than to the platform, which the configuration is from.
  const configSource = httpConfigSource({ baseUrl: AGATE_BASE_URL ?? "", apiKey: AGATE_API_KEY });
  options = { ...options, configSource };
  // The variable: in a deployed program, an option does not replace it.
  process.env.AGATE_BASE_URL = SPANS_URL;
}
init(options);

class SummarizeConfig extends BaseModel<SummarizeConfig> {
  prompt = Field(str, { default: "In short:" });
  words = Field(int, { default: 8, ge: 1, le: 100 });
}

route("/summarize", {
  config: SummarizeConfig,
  input: z.object({ text: z.string() }),
  output: z.string(),
})(async ({ text }, { config }) => summarize(text, config.words, config.prompt));

// In a session of its own, it does not hear of Ctrl-C.
process.on("disconnect", () => process.exit());
const { port } = await serve({ port: 0 });
process.stdout.write(`listening ${port}\n`);
