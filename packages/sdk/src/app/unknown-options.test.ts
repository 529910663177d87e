import { describe, expect, it } from "vitest";
import { ClientError } from "../client/client-error.ts";
import { createClient } from "../client/create-client.ts";
import { BaseModel } from "../config/base-model.ts";
import { DeclarationError } from "../config/declaration-error.ts";
import { instrument } from "../tracing/instrument.ts";
import { createApp } from "./create-app.ts";
import { init } from "./default-app.ts";
import { serve } from "./serve.ts";

class Config extends BaseModel {}

/** As JavaScript would write it, which no compiler checks. */
function misspelt(options: object): never {
  return options as never;
}

describe("an option that does not exist is refused, with the one that was meant,", () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      "of a route",
      () => createApp().route("/say", misspelt({ config: Config, tiemout: 5 })),
      /^The route \/say has no option "tiemout"; did you mean "timeout"\?$/,
    ],
    [
      "of a route, however it is written",
      () => createApp().route("/say", misspelt({ config: Config, ignore_inputs: true })),
      /"ignore_inputs"; did you mean "ignoreInputs"/,
    ],
    [
      "of an entrypoint",
      () => createApp().entrypoint(misspelt({ config: Config, imput: undefined })),
      /The route \/ has no option "imput"; did you mean "input"/,
    ],
    [
      "of createApp",
      () => createApp(misspelt({ aplication: "desk" })),
      /The app has no option "aplication"; did you mean "application"/,
    ],
    [
      "of init",
      () => init(misspelt({ captureContents: false })),
      /The app has no option "captureContents"; did you mean "captureContent"/,
    ],
    [
      "of the limits",
      () => createApp({ limits: misspelt({ maxSpan: 5 }) }),
      /^limits has no option "maxSpan"; did you mean "maxSpans"/,
    ],
    [
      "of cors",
      () => createApp({ cors: misspelt({ origin: "*" }) }),
      /^cors has no option "origin"; did you mean "origins"/,
    ],
  ])("%s", (_of, declare, said) => {
    expect(declare).toThrow(DeclarationError);
    expect(declare).toThrow(said);
  });

  it("of instrument, createClient and serve", async () => {
    expect(() => instrument(misspelt({ ignoreInput: true }))).toThrow(
      /ag\.instrument\(\) has no option "ignoreInput"; did you mean "ignoreInputs"/,
    );
    expect(() => createClient("http://app.test", misspelt({ api_key: "k" }))).toThrow(
      /createClient\(\) has no option "api_key"; did you mean "apiKey"/,
    );
    await expect(serve(misspelt({ prot: 1 }))).rejects.toThrow(/"prot"; did you mean "port"/);
  });

  it("of a call, over HTTP and in code", async () => {
    const client = createClient("http://127.0.0.1:9");
    const call = client.say!({}, misspelt({ enviroment: "staging" }));
    const refused = await call.then(
      () => null,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(TypeError);
    expect(ClientError.isInstance(refused)).toBe(false);
    expect(String(refused)).toMatch(/"enviroment"; did you mean "environment"/);
    const app = createApp();
    const say = app.route("/say", Config)(() => "said");
    const later = app.route("/later", Config)(async () => "said");
    expect(() => say({}, misspelt({ confg: {} }))).toThrow(/route \/say.*did you mean "config"/);
    await expect(later({}, misspelt({ confg: {} }))).rejects.toThrow(/did you mean "config"/);
  });

  it("of ConfigManager", async () => {
    const { ConfigManager } = createApp();
    await expect(ConfigManager.getFromRegistry(misspelt({ enviroment: "s" }))).rejects.toThrow(
      /getFromRegistry\(\) has no option "enviroment"; did you mean "environment"/,
    );
    await expect(ConfigManager.getFromFile(misspelt({ file: "a.json" }))).rejects.toThrow(
      /getFromFile\(\) has no option "file"\. It takes schema, path, environment/,
    );
    await expect(ConfigManager.getFromRoute(misspelt({ shema: Config }))).rejects.toThrow(
      /did you mean "schema"/,
    );
  });
});
