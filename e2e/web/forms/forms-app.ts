import { type AppPlatform, startApp } from "../app-platform.ts";

/** Routes with every kind of field, bound and input; each answers with what it was given. */
const APP = `import * as ag from "@agate/sdk";
import { z } from "zod";

class FieldsConfig extends ag.BaseModel {
  prompt = ag.Field(ag.str, { default: "Answer from the text alone." });
  temperature = ag.Field(ag.float, { default: 0.7, ge: 0, le: 2 });
  top = ag.Field(ag.float, { default: 0.5, gt: 0, lt: 1 });
  sentences = ag.Field(ag.int, {
    default: 3, gt: 0, lt: 10, title: "Length", description: "How many sentences.",
  });
  maxTokens = ag.Field(ag.int, { default: -1, ge: -1, le: 4096 });
  budget = ag.Field(ag.int, { default: 5, ge: 0, le: 1000000000 });
  rate = ag.Field(ag.float, { default: 0.0001, ge: 0.000001, le: 0.001 });
  tiny = ag.Field(ag.float, { default: 2e-9, ge: 1e-9, le: 1e-8 });
  wide = ag.Field(ag.int, { default: 0, ge: -9007199254740991, le: 9007199254740991 });
  fixed = ag.Field(ag.int, { default: 3, ge: 3, le: 3 });
  seed = ag.Field(ag.int, { default: 0, ge: 0 });
  offset = ag.Field(ag.float, { default: 0.5 });
  bullets = ag.Field(ag.bool, { default: false });
  tone = ag.Field(ag.MultipleChoice({ choices: ["plain", "formal", "playful"] }), { default: "formal" });
  model = ag.Field(
    ag.GroupedMultipleChoice({ choices: { Fast: ["mini", "flash"], Careful: ["flash", "large"] } }),
    { default: "large" },
  );
}

export const fields = ag.route("/fields", { config: FieldsConfig, input: z.strictObject({}) })(
  async (_inputs, { config }) => ({ ...config }),
);

const polite = z.string().refine((text) => text !== "rude", "Say it politely.").default("please");
export const judged = ag.route("/judged", {
  config: z.object({ word: polite }),
  input: z.object({
    text: z.string().refine((text) => !text.includes("forbidden"), "Not that word."),
    messages: z.array(z.object({ content: z.string() })),
  }),
})(async (inputs) => inputs);

export const kinds = ag.route("/kinds", {
  config: z.object({}),
  input: z.object({
    text: z.string().meta({ title: "Your text", description: "What is read." }),
    note: z.string().optional(),
    count: z.int().min(1),
    ratio: z.number().nullable(),
    isUrgent: z.boolean(),
    isPublic: z.boolean().optional(),
    tone: z.enum(["loud", "calm"]),
    level: z.union([z.literal(1), z.literal(2)]).default(2),
    day: z.iso.date().optional(),
    mail: z.email().optional(),
    tags: z.array(z.string()),
    options: z.object({ depth: z.int(), unit: z.enum(["m", "km"]) }),
  }),
})(async (inputs) => inputs);

class NoConfig extends ag.BaseModel {}

export const anything = ag.route("/anything", NoConfig)(async (inputs: object) => inputs);

export const word = ag.route("/word", { config: NoConfig, input: z.string().min(3) })(
  async (inputs) => inputs,
);

export default ag.app(fields, judged, kinds, anything, word);
`;

/** The built platform with that app in it. */
export function startForms(): Promise<AppPlatform> {
  return startApp("forms", APP);
}
