import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BaseModel } from "../config/base-model.ts";
import { answerOf, KnownConfig, post } from "./call-app.fixture.ts";
import { createApp } from "./create-app.ts";

class Config extends BaseModel {}

describe("a call without inputs", () => {
  it("gives an empty object to a function that destructures its input", async () => {
    const app = createApp({ configSource: new KnownConfig({}) });
    app.route("/say", Config)(({ text }: { text?: string }) => text ?? "nothing");
    const { body } = await answerOf(post(app, "/playground/run/say", {}));
    expect(body.data).toBe("nothing");
  });

  it("leaves the default of a parameter or a schema to it", async () => {
    const app = createApp({ configSource: new KnownConfig({}) });
    app.route("/default", Config)((name = "world") => name);
    app.route("/optional", Config)((name?: string) => name ?? "world");
    const input = z.string().default("world");
    app.route("/schema", { config: Config, input })((name) => name);
    const async = z
      .string()
      .default("world")
      .refine(async () => true);
    app.route("/async", { config: Config, input: async })((name) => name);
    for (const path of ["/default", "/optional", "/schema", "/async"]) {
      const absent = await answerOf(post(app, `/playground/run${path}`, {}));
      expect(absent.body.data).toBe("world");
      const given = await answerOf(post(app, `/run${path}`, { inputs: "ada" }));
      expect(given.body.data).toBe("ada");
    }
  });

  it("names the fields that a schema misses", async () => {
    const app = createApp({ configSource: new KnownConfig({}) });
    const input = z.object({ text: z.string(), more: z.string().optional() });
    app.route("/say", { config: Config, input })(({ text }) => text);
    const { status, body } = await answerOf(post(app, "/playground/run/say", {}));
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ loc: ["body", "inputs", "text"] }]);
  });
});
