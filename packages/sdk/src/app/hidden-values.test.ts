import type { StandardSchemaV1 } from "@standard-schema/spec";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as ag from "../index.ts";
import { Collector } from "../tracing/collector.fixture.ts";
import type { AppOptions } from "./app.ts";
import { createApp } from "./create-app.ts";

const CARD = "4111222233334444";
// Longer than the digits that a random id may hold in a row.
const PIN = 471_100_815_471;
const NOTE = "a long note about a blue agate that Ada found";

class CardConfig extends ag.BaseModel {
  limit = ag.Field(ag.int, { default: 5, le: 10 });
  apiToken = ag.Field(ag.str, { default: "none" });
}

/** Says all that it was given, as some schema libraries do. */
const quoting: StandardSchemaV1<object> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => {
      const given = value as { cardNumber: string; pin: number; note: string };
      return {
        issues: [
          { path: ["cardNumber"], message: `must be a date (was "${given.cardNumber}")` },
          { path: ["note"], message: `too long: ${given.note.slice(0, 20)}…` },
          { message: `${given.pin} does not belong to ${JSON.stringify(given)}` },
        ],
      };
    },
  },
};

let collector: Collector;
beforeEach(async () => {
  collector = await new Collector().start();
});
afterEach(() => collector.stop());

async function refused(options: AppOptions, path: string, body: object) {
  const app = createApp({ baseUrl: collector.url, onError: () => undefined, ...options });
  app.route("/check", { config: CardConfig, input: quoting })(() => "");
  app.route("/own", { config: CardConfig, input: quoting, redact: ["note"] })(() => "");
  app.route("/made", { config: CardConfig, output: quoting })((input: object) => input);
  app.route("/plain", CardConfig)(() => "");
  const response = await app.fetch(
    new Request(`http://app${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
  const text = await response.text();
  await app.shutdown();
  const sent = Buffer.concat(collector.bodies).toString();
  return { status: response.status, text, sent, answer: JSON.parse(text) };
}

const inputs = { cardNumber: CARD, pin: PIN, note: NOTE };

describe("what is said of values that are not recorded", () => {
  it("has no value of redacted keys, in the answer and in the span; other values stay", async () => {
    const options = { redact: ["cardNumber", "pin"] };
    const { status, text, sent, answer } = await refused(options, "/playground/run/check", {
      inputs,
    });
    expect(status).toBe(422);
    for (const said of [text, sent]) {
      expect(said).not.toContain(CARD);
      expect(said).not.toContain(PIN);
      expect(said).toContain(NOTE);
    }
    expect(answer.detail.map(({ msg }: { msg: string }) => msg)).toEqual([
      "must be a date (was [redacted])",
      "too long: a long note about a …",
      `[redacted] does not belong to {"cardNumber":"[redacted]","pin":"[redacted]","note":"${NOTE}"}`,
    ]);
  });

  it("has none of the keys that the route redacts, shortened or not", async () => {
    const { text, sent } = await refused({}, "/playground/run/own", { inputs });
    for (const said of [text, sent]) {
      expect(said).not.toContain("a long note");
      expect(said).toContain(CARD);
    }
  });

  it("has no value at all where content is not captured, and the span says what it was", async () => {
    const options = { captureContent: false };
    const { status, text, sent } = await refused(options, "/playground/run/check", { inputs });
    expect(status).toBe(422);
    for (const said of [text, sent]) {
      for (const hidden of [CARD, String(PIN), "a long note"]) expect(said).not.toContain(hidden);
    }
    expect(collector.spans.at(-1)?.statusMessage).toBe("input_invalid");
  });

  it("has none of what a function hides", async () => {
    const redact = () => ({ note: NOTE });
    const { text } = await refused({ redact }, "/playground/run/check", { inputs });
    expect(text).not.toContain(CARD);
    expect(text).toContain(NOTE);
  });

  it("holds for configurations and for outputs", async () => {
    const config = { limit: 99, apiToken: 12345678 };
    const body = { inputs: {}, config };
    const told = await refused({ redact: ["apiToken"] }, "/playground/run/plain", body);
    expect(told.status).toBe(422);
    expect(told.text).toContain("(got 99)");
    for (const said of [told.text, told.sent]) expect(said).not.toContain("12345678");

    const options = { redact: ["cardNumber", "pin"] };
    const made = await refused(options, "/playground/run/made", { inputs });
    expect(made.status).toBe(500);
    for (const said of [made.text, made.sent]) {
      expect(said).not.toContain(CARD);
      expect(said).not.toContain(PIN);
      expect(said).toContain("must be a date (was [redacted])");
    }
  });

  it("does not quote a body that is no JSON", async () => {
    const app = createApp({ baseUrl: collector.url, captureContent: false });
    app.route("/plain", CardConfig)(() => "");
    const response = await app.fetch(
      new Request("http://app/run/plain", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: `{"inputs": {"cardNumber": ${CARD}x}}`,
      }),
    );
    const text = await response.text();
    await app.shutdown();
    expect(JSON.parse(text).detail[0].msg).toBe(
      "The body is not JSON, at line 1, column 27: This is not a JSON number.",
    );
  });

  it.each([
    [300, "was [redacted]"],
    [320, "it has redacted parts"],
  ])(
    "says nothing of values where comparing them would take too long: %i of them",
    async (count, said) => {
      const many: StandardSchemaV1<object> = {
        "~standard": {
          version: 1,
          vendor: "test",
          validate: (value) => ({
            issues: (value as { list: string[] }).list.map((item, index) => ({
              path: ["list", index],
              message: `no colour (was "${item}")`,
            })),
          }),
        },
      };
      const app = createApp({ redact: ["list"] });
      app.route("/many", { config: CardConfig, input: many })(() => "");
      const list = Array.from({ length: count }, (_, index) => `${CARD}-${index}`);
      const response = await app.fetch(
        new Request("http://app/playground/run/many", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ inputs: { list } }),
        }),
      );
      const { detail } = (await response.json()) as { detail: { msg: string }[] };
      expect(detail).toHaveLength(count);
      for (const { msg } of detail) expect(msg).toContain(said);
      await app.shutdown();
    },
  );
});
