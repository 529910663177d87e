import { z } from "zod";
import { createApp } from "../app/create-app.ts";
import { BaseModel } from "../config/base-model.ts";
import { Field, float, MultipleChoice } from "../config/field.ts";
import { HttpError } from "../routes/http-error.ts";

// As a user's module: routes are exported, and with them their types.

export class SayConfig extends BaseModel {
  tone = Field(MultipleChoice({ choices: ["plain", "formal"] }), { default: "plain" });
  temperature = Field(float, { default: 0.7, ge: 0, le: 2 });
}

export const app = createApp({ application: "client-tests", onError: () => {} });

export const answer = app.entrypoint(SayConfig)(
  async ({ question }: { question: string }, { config }) => `${config.tone}: ${question}?`,
);

export const say = app.route("/say", {
  config: SayConfig,
  input: z.object({ text: z.string(), times: z.string().transform(Number).optional() }),
})(({ text, times = 1 }, { config }) => ({ said: text.repeat(times), tone: config.tone }));

export const search = app.route("/docs/search", SayConfig)(async (query: string) => [query, query]);

export const tell = app.route("/tell", { config: SayConfig, stream: z.string() })(async function* ({
  words,
}: {
  words: readonly string[];
}) {
  yield* words;
});

export const count = app.route(
  "/count",
  SayConfig,
)(function* ({ to }: { to: number }) {
  for (let n = 1; n <= to; n += 1) {
    if (n === 3) throw new Error("Three is too many.");
    yield { n };
  }
});

export const odd = app.route("/a:b/%C3%A9t%C3%A9", SayConfig)(() => "found");

export const refuse = app.route(
  "/refuse",
  SayConfig,
)((): string => {
  throw new HttpError(429, "Slow down.", { type: "quota", headers: { "retry-after": "9" } });
});

export const nothing = app.route("/nothing", SayConfig)(() => undefined);

export const greet = app.route("/greet", SayConfig)((name?: string) => `Hello, ${name ?? "world"}`);

export const list = app.route(
  "/list",
  SayConfig,
)((filter: { limit?: number }) => ({
  limit: filter.limit ?? 10,
  at: new Date(0),
  next: undefined,
}));

export const repeat = app.route("/repeat", {
  config: SayConfig,
  input: z.number().default(2),
  output: z.object({ times: z.number(), until: z.date() }),
})((times) => ({ times, until: new Date(0) }));

export const moments = app.route(
  "/moments",
  SayConfig,
)(async function* ({ from = 1, to = 2 }: { from?: number; to?: number }) {
  for (let n = from; n <= to; n += 1) yield { at: new Date(n), skip: () => n };
});

export const perhaps = app.route(
  "/perhaps",
  SayConfig,
)(async (name: string): Promise<string | undefined> => (name === "" ? undefined : name));

export const typedApp = app.typed(
  answer,
  say,
  search,
  tell,
  count,
  odd,
  refuse,
  nothing,
  greet,
  list,
  repeat,
  moments,
  perhaps,
);

/** Not a route: a module exports other things too. */
export const VERSION = 3;
