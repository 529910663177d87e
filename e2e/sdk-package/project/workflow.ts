// A user's program: copied into a folder outside the repository, checked and run there.
import * as ag from "@agate/sdk";
import { supportedLlmModels } from "@agate/sdk/assets";

export class SummarizeConfig extends ag.BaseModel {
  words = ag.Field(ag.int, { default: 2, ge: 1, le: 5 });
  tone = ag.Field(ag.MultipleChoice({ choices: ["plain", "loud"] }), { default: "plain" });
  model = ag.Field(ag.GroupedMultipleChoice({ choices: supportedLlmModels }), {
    default: "gpt-5-mini",
  });
}

const firstWords = ag.instrument({ name: "first words", kind: "TASK" })(
  async (text: string, count: number) => text.split(" ").slice(0, count).join(" "),
);

export const summarize = ag.route(
  "/summarize",
  SummarizeConfig,
)(async ({ text }: { text: string }) => {
  const { words, tone, model } = await ag.ConfigManager.getFromRoute({ schema: SummarizeConfig });
  const summary = await firstWords(text, words);
  using span = ag.span("tone", { kind: "TOOL" });
  span.setAttribute("loud", tone === "loud");
  return { summary: tone === "loud" ? summary.toUpperCase() : summary, model };
});

export const spell = ag.route(
  "/spell",
  SummarizeConfig,
)(async function* ({ text }: { text: string }) {
  yield* text;
});

export const moment = ag.route(
  "/moment",
  SummarizeConfig,
)((ms: number = 0) => ({ at: new Date(ms) }));

class TicketConfig extends ag.BaseModel {
  urgent = ag.Field(ag.bool, { default: false });
}

export class Support {
  @ag.route("/tickets/classify", TicketConfig)
  static async classify({ ticket }: { ticket: string }): Promise<string> {
    const { urgent } = await ag.ConfigManager.getFromRoute({ schema: TicketConfig });
    return urgent ? `urgent: ${ticket}` : ticket;
  }

  readonly #farewell = "Bye";

  @ag.route("/tickets/close", TicketConfig)
  close({ ticket }: { ticket: string }, { config }: ag.Call<TicketConfig>): string {
    return `${this.#farewell}, ${config.urgent ? "urgent " : ""}${ticket}`;
  }
}

export const support = new Support();

export const app = ag.app(summarize, spell, moment, {
  "/tickets/classify": Support.classify,
  "/tickets/close": support.close,
});
