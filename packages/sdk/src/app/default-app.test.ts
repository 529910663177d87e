import { describe, expect, expectTypeOf, it } from "vitest";
import type { Client, PendingCall } from "../client/client-types.ts";
import { BaseModel } from "../config/base-model.ts";
import { answerOf, KnownConfig, post } from "./call-app.fixture.ts";
import { createApp } from "./create-app.ts";
import { app, ConfigManager, entrypoint, init, route } from "./default-app.ts";

class NoConfig extends BaseModel {}

// The process has one: the tests below are steps, in this order.
describe("the app of a process", () => {
  const answer = entrypoint(NoConfig)(({ question }: { question: string }) => `${question}!`);
  const say = route("/say", NoConfig)(async (text: string) => text.length);

  it("is configured after its routes were declared, and before it is used", async () => {
    init({ application: "first" });
    init({ application: "desk", configSource: new KnownConfig({ "/say": { extra: 1 } }) });
    const health = await app().fetch(new Request("http://workflow.test/health"));
    expect(await health.json()).toMatchObject({ application: "desk", routes: ["/", "/say"] });
    expect(() => init({ application: "late" })).toThrow(/comes too late.*Call it first/);
  });

  it("is typed by the routes that it is given", () => {
    const typed = app(answer, say);
    expect(typed).toBe(app());
    expectTypeOf<Client<typeof typed>>().toBeCallableWith({ question: "why" });
    type Say = ReturnType<Client<typeof typed>["say"]>;
    expectTypeOf<Say>().toEqualTypeOf<PendingCall<number>>();
    const foreign = createApp().route("/foreign", NoConfig)(() => null);
    expect(() => app(foreign)).toThrow(/\/foreign was declared on another app/);
  });

  it("answers like any other", async () => {
    const { body } = await answerOf(post(app(), "/generate", { inputs: { question: "why" } }));
    expect(body.data).toBe("why!");
    expect((await answerOf(post(app(), "/run/say", { inputs: "four" }))).body.data).toBe(4);
    expect(await ConfigManager.getFromRegistry({ route: "/say" })).toEqual({ extra: 1 });
  });
});
