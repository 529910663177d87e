import type { Platform, PlatformTests } from "../with-platform.ts";

const PROMPT = "Answer from the text alone.\nUse one example. Say when you do not know.";
const REWRITTEN = "Answer from the text alone.\nUse two examples. Say when you do not know.";

/** Commits two more revisions of the quickstart's variant "thorough", which differ in a few words and a number. */
export async function commitTwice(registry: PlatformTests<Platform>["registry"]): Promise<void> {
  const commit = (base_revision: number, message: string, params: object) =>
    registry("POST", "/applications/quickstart/variants/thorough/revisions", {
      base_revision,
      message,
      params,
    });
  await commit(1, "Write the prompt down", { "/summarize": { sentences: 5, prompt: PROMPT } });
  await commit(2, "More examples", { "/summarize": { prompt: REWRITTEN, sentences: 4 } });
}
