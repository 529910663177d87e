import { describe, expect, it } from "vitest";
import { answerOf, post } from "../app/call-app.fixture.ts";
import { createApp } from "../app/create-app.ts";
import { BaseModel } from "../config/base-model.ts";
import { DeclarationError } from "../config/declaration-error.ts";
import { Field, str } from "../config/field.ts";
import { instrument } from "../tracing/instrument.ts";
import type { Call } from "./route-types.ts";

class Config extends BaseModel {
  prompt = Field(str, { default: "Say:" });
}

class LoudConfig extends BaseModel {
  mark = Field(str, { default: "!" });
}

async function said(app: ReturnType<typeof createApp>, path = "/say") {
  const { status, body } = await answerOf(post(app, `/playground/run${path}`, { inputs: "hi" }));
  return status === 200 ? body.data : body.detail[0].msg;
}

describe("a method that is overridden", () => {
  it("is served as its object has it, and as code calls it", async () => {
    const app = createApp();
    class Desk {
      @app.route("/say", Config)
      say(text: string, call?: Call<Config>) {
        return `${call?.config.prompt} ${text}`;
      }
    }
    class LoudDesk extends Desk {
      override say(text: string, call?: Call<Config>) {
        return super.say(text, call).toUpperCase();
      }
    }
    const desk = new LoudDesk();
    expect(await said(app)).toBe("SAY: HI");
    expect(desk.say("you")).toBe("SAY: YOU");
    // The first object is served, and this one is not.
    expect(new Desk().say("you")).toBe("Say: you");
    expect(await said(app)).toBe("SAY: HI");
  });

  it("is the parent's where the first object is one of the parent", async () => {
    const app = createApp();
    class Desk {
      @app.route("/say", Config)
      say(text: string) {
        return text;
      }
    }
    class LoudDesk extends Desk {
      override say(text: string) {
        return text.toUpperCase();
      }
    }
    new Desk();
    new LoudDesk();
    expect(await said(app)).toBe("hi");
  });

  it("is served with its own configuration where it is decorated again", async () => {
    const app = createApp({ onError: () => {} });
    class Desk {
      @app.route("/say", Config)
      say(text: string, _call?: Call<Config | LoudConfig>) {
        return text;
      }
    }
    class LoudDesk extends Desk {
      @app.route("/say", LoudConfig)
      override say(text: string, call?: Call<LoudConfig>) {
        return `${super.say(text)}${call?.config.mark}`;
      }
    }
    class LouderDesk extends LoudDesk {
      @app.route("/say", LoudConfig)
      override say(text: string, call?: Call<LoudConfig>) {
        return `${super.say(text, call)}${call?.config.mark}`;
      }
    }
    expect(await said(app)).toMatch(/no object was made/);
    new Desk();
    expect(await said(app)).toBe("hi");
    new LoudDesk();
    expect(await said(app)).toBe("hi!");
    const louder = new LouderDesk();
    expect(await said(app)).toBe("hi!!");
    new LoudDesk();
    expect(await said(app)).toBe("hi!!");
    expect(louder.say("you")).toBe("you!!");
  });

  it("is served at both paths where it is decorated with another one", async () => {
    const app = createApp();
    class Desk {
      @app.route("/say", Config)
      say(text: string, _call?: Call<Config | LoudConfig>) {
        return text;
      }
    }
    class LoudDesk extends Desk {
      @app.route("/shout", LoudConfig)
      override say(text: string, { config }: Call<object> = { config: {} } as Call<object>) {
        return `${text} ${Object.keys(config)}`;
      }
    }
    new LoudDesk();
    expect([await said(app), await said(app, "/shout")]).toEqual(["hi prompt", "hi mark"]);
  });

  it("takes its parent's place at once where it is static", async () => {
    const app = createApp();
    class Desk {
      readonly isOpen = true;
      @app.entrypoint(Config)
      static say(text: string) {
        return text;
      }
    }
    class LoudDesk extends Desk {
      @app.entrypoint(Config)
      static override say(text: string) {
        return text.toUpperCase();
      }
    }
    expect(await said(app, "")).toBe("HI");
    expect([Desk.say("you"), LoudDesk.say("you")]).toEqual(["you", "YOU"]);
  });

  it("is not taken for one where a class is no child of the other", () => {
    const app = createApp();
    class Desk {
      @app.route("/say", Config)
      say(text: string) {
        return text;
      }
    }
    class OtherDesk {
      @app.route("/say", Config)
      say(text: string) {
        return text;
      }
    }
    new Desk();
    expect(() => new OtherDesk()).toThrow(DeclarationError);
    expect(() => new OtherDesk()).toThrow(/route \/say is declared twice/);
    expect(() => {
      class Static {
        readonly isOpen = true;
        @app.route("/say", Config)
        static say(text: string) {
          return text;
        }
      }
      return Static;
    }).toThrow(/route \/say is declared twice/);
    expect(() => app.route("/say", Config)(() => "hi")).toThrow(/declared twice/);
    expect(() => {
      class Other {
        @app.route("/say", Config)
        tell(text: string) {
          return text;
        }
      }
      return Other;
    }).toThrow(/declared twice/);
  });

  it("is served without its span as code calls it, however it is decorated besides", async () => {
    const app = createApp();
    class Desk {
      @instrument({ name: "outside" })
      @app.route("/outside", Config)
      outside() {
        return "outside";
      }
      @app.route("/inside", Config)
      @instrument({ name: "inside" })
      inside() {
        return "inside";
      }
      @app.route("/private", Config)
      #hidden() {
        return "private";
      }
      own() {
        return this.#hidden();
      }
    }
    new Desk();
    const namesOf = async (path: string) => {
      const { body } = await answerOf(post(app, `/playground/run${path}`, {}));
      return [body.data, (body.trace.children ?? []).map(({ name }: { name: string }) => name)];
    };
    expect(await namesOf("/outside")).toEqual(["outside", []]);
    expect(await namesOf("/inside")).toEqual(["inside", ["inside"]]);
    expect(await namesOf("/private")).toEqual(["private", []]);
  });
});
