import { expect, it } from "vitest";
import { BaseModel } from "../config/base-model.ts";
import { routingContext } from "../context/routing-context.ts";
import { instrument } from "../tracing/instrument.ts";
import { answerOf, KnownConfig, post } from "./call-app.fixture.ts";
import { createApp } from "./create-app.ts";

class NoConfig extends BaseModel {}

it("stamps the revision that the caller names on every span, or what was edited", async () => {
  const app = createApp({ application: "desk", configSource: new KnownConfig({}) });
  app.route(
    "/say",
    NoConfig,
  )(async () => {
    await instrument({ name: "inner" })(async () => "in")();
    return routingContext();
  });
  const call = async (variant: string) => {
    const { body } = await answerOf(
      post(app, "/playground/run/say", {}, { headers: { "agate-variant": variant } }),
    );
    // Nothing is read from that revision, so that code sees no variant.
    expect(body.data).not.toHaveProperty("variant");
    const { variant: named, metadata, children } = body.trace;
    expect(children[0].variant).toEqual(named);
    return [named.variant_name, named.revision, metadata.attributes["ag.variant.edited_from"]];
  };
  expect(await call("concise@3")).toEqual(["concise", 3, undefined]);
  expect(await call("concise@3; edited")).toEqual([null, null, "concise@3"]);
  expect(await call("concise@3;edited")).toEqual([null, null, "concise@3"]);
  for (const unreadable of ["", "concise", "concise@0", "@3", "Con cise@3", "concise@3; other"]) {
    expect(await call(unreadable)).toEqual([null, null, undefined]);
  }
});
