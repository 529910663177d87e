import * as ag from "@agate/sdk";

export class DescribeConfig extends ag.BaseModel {
  limit = ag.Field(ag.int, { default: 3, ge: 1, le: 100 });
  tone = ag.Field(ag.MultipleChoice({ choices: ["plain", "loud"] }), { default: "plain" });
}

const shorten = ag.instrument({ name: "shorten" })(async (text: string, limit: number) => {
  await ag.span("chat", { kind: "LLM" }, async () => undefined);
  return text.slice(0, limit);
});

/** Declares a route whose answer shows its configuration, and whose trace has three spans. */
export function declareDescribe(): void {
  ag.route(
    "/describe",
    DescribeConfig,
  )(async ({ stone }: { stone: string }) => {
    const { limit, tone } = await ag.ConfigManager.getFromRoute({ schema: DescribeConfig });
    const text = await shorten(stone, limit);
    return tone === "loud" ? text.toUpperCase() : text;
  });
}
