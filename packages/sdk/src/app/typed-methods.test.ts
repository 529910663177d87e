import { describe, expect, expectTypeOf, it } from "vitest";
import type { Client, PendingCall, StreamingCall } from "../client/client-types.ts";
import { createClient } from "../client/create-client.ts";
import { BaseModel } from "../config/base-model.ts";
import { DeclarationError } from "../config/declaration-error.ts";
import { Field, str } from "../config/field.ts";
import type { Call } from "../routes/route-types.ts";
import { createApp } from "./create-app.ts";

class Config extends BaseModel {
  tone = Field(str, { default: "plain" });
}

const base = createApp({ application: "methods" });

class Desk {
  readonly sign = "desk";

  @base.route("/tickets/classify", Config)
  static async classify({ ticket }: { ticket: string }, { config }: Call<Config>) {
    return `${config.tone}: ${ticket}`;
  }

  @base.route("/tickets/close", Config)
  close({ ticket }: { ticket: string }) {
    return { closed: `${ticket} by ${this.sign}` };
  }

  @base.route("/tell", Config)
  static async *tell() {
    yield "one";
  }

  static shout() {
    return "not decorated";
  }
}
const desk = new Desk();
const say = base.route("/say", Config)((text: string) => text.length);

const app = base.typed(say, {
  "/tickets/classify": Desk.classify,
  "/tickets/close": desk.close,
  "/tell": Desk.tell,
});
type AppClient = Client<typeof app>;

describe("an app that is typed by decorated methods", () => {
  it("is the same app, and its client calls them", async () => {
    expect(app).toBe(base);
    const client = createClient<typeof app>("http://workflow.test", {
      fetch: (input, init) => app.fetch(new Request(input, init)),
    });
    const config = { tone: "rude" };
    expect(await client.tickets.classify({ ticket: "help" }, { config })).toBe("rude: help");
    expect(await client.tickets.close({ ticket: "help" }, { config })).toEqual({
      closed: "help by desk",
    });
    expect(await client.say("four", { config })).toBe(4);
    expect(await client.tell(undefined, { config })).toBe("one");
  });

  it("has their inputs, results and configurations in the client's types", () => {
    type Tickets = AppClient["tickets"];
    expectTypeOf<Tickets["classify"]>().parameter(0).toEqualTypeOf<{ ticket: string }>();
    expectTypeOf<ReturnType<Tickets["classify"]>>().toEqualTypeOf<PendingCall<string>>();
    expectTypeOf<ReturnType<Tickets["close"]>>().toEqualTypeOf<PendingCall<{ closed: string }>>();
    expectTypeOf<ReturnType<AppClient["tell"]>>().toEqualTypeOf<StreamingCall<string>>();
    expectTypeOf<ReturnType<AppClient["say"]>>().toEqualTypeOf<PendingCall<number>>();
    const classify = expectTypeOf<Tickets["classify"]>();
    // @ts-expect-error the ticket is a text
    classify.toBeCallableWith({ ticket: 7 });
    // @ts-expect-error the configuration has no such field
    classify.toBeCallableWith({ ticket: "help" }, { config: { tonne: "plain" } });
    // A method that does not declare its configuration: any field may be sent.
    expectTypeOf<Tickets["close"]>().toBeCallableWith(
      { ticket: "help" },
      { config: { tonne: "plain" } },
    );
    expectTypeOf<Tickets>().not.toHaveProperty("open");
  });

  const asGiven = (given: unknown) => () => base.typed(given as typeof say);

  it.each<[string, () => unknown, RegExp]>([
    [
      "with a path that it has not",
      () => base.typed({ "/tickets/clasify": Desk.classify }),
      /given for \/tickets\/clasify is the route \/tickets\/classify\. Write \{ "\/tickets\/classify": … \}/,
    ],
    [
      "with a path that has no slash",
      asGiven({ classify: Desk.classify }),
      /given for classify is the route \/tickets\/classify/,
    ],
    [
      "that is not decorated",
      () => base.typed({ "/shout": Desk.shout }),
      /given for \/shout is no route of this app\. Decorate.*@ag\.route\("\/shout", …\)/,
    ],
    ["that is undefined", asGiven({ "/shout": undefined }), /\/shout is no route of this app/],
    [
      "of another app",
      () => createApp().typed({ "/tickets/close": desk.close }),
      /\/tickets\/close is no route of this app/,
    ],
    [
      "without its path",
      asGiven(Desk.classify),
      /^classify is given.*ag\.app\(\{ "\/tickets\/classify": … \}\)/,
    ],
    ["for a class", asGiven(Desk), /^Desk is given.*Pass decorated methods by their paths/],
    ["for an empty object", () => base.typed({}), /object without routes.*by their paths/],
    ["for an instance", asGiven(desk), /given for sign is no route of this app/],
  ])("refuses a method %s", (_what, type, said) => {
    expect(type).toThrow(DeclarationError);
    expect(type).toThrow(said);
  });

  it("is a compile error where no path is named", () => {
    expectTypeOf(() => {
      // @ts-expect-error a decorated method has no path in its type
      base.typed(Desk.classify);
      // @ts-expect-error a class has none either
      base.typed(Desk);
      // @ts-expect-error nor has an object of one
      base.typed(desk);
      // @ts-expect-error a method takes an input and a call
      base.typed({ "/classify": (_input: string, _call: object, _more: string) => null });
    }).toBeFunction();
  });
});
