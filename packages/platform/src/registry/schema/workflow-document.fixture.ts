import { z } from "zod";
import type { App } from "../../../../sdk/src/app/app.ts";
import { createApp } from "../../../../sdk/src/app/create-app.ts";

/** What an app answers as its `/openapi.json`: the SDK's own words. */
export async function documentOf(app: App): Promise<unknown> {
  const answer = await app.fetch(new Request("http://workflow.test/openapi.json"));
  return answer.json();
}

/** A workflow whose one route takes a temperature up to a bound, and a tone of a few, or none. */
export function summarizeDocument(
  most: number,
  { tones = ["plain", "formal"] }: { readonly tones?: readonly [string, ...string[]] | null } = {},
): Promise<unknown> {
  const app = createApp({ application: "summarizer" });
  const config = z.object({
    temperature: z.number().min(0).max(most).default(0),
    ...(tones && { tone: z.literal(tones).default(tones[0]) }),
  });
  app.route("/summarize", { config, input: z.object({ text: z.string() }) })(() => "");
  return documentOf(app);
}

/** A workflow whose one route has objects and lists in its configuration, and more of them if told. */
export function nestedDocument(
  retrieval: Record<string, z.ZodType> = {},
  example: Record<string, z.ZodType> = {},
): Promise<unknown> {
  const app = createApp({ application: "search" });
  const config = z.object({
    retrieval: z
      .object({ weights: z.array(z.number().max(1)).default([]), ...retrieval })
      .prefault({}),
    examples: z.array(z.object({ input: z.string(), ...example })).default([]),
    style: z.string().nullable().default("plain"),
  });
  app.route("/search", config)(() => "");
  return documentOf(app);
}
