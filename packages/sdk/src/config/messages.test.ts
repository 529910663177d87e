import { createRequire } from "node:module";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import { BaseModel } from "./base-model.ts";
import { compileConfig } from "./compile-config.ts";
import type { EveryFieldDefaults, InferConfig } from "./config-declaration.ts";
import { configJsonSchema } from "./config-json-schema.ts";
import type { ConfigOutcome } from "./config-schema.ts";
import { Field } from "./field.ts";
import { type Message, type MessageList, Messages } from "./messages.ts";
import { render } from "./render.ts";

const refuse = { unknownFields: "refuse" } as const;
const initial = [
  { role: "system", content: "You are brief." },
  { role: "user", content: "Write about {{topic}} for {{ audience }}." },
] as const;

class Prompt extends BaseModel<Prompt> {
  prompt = Field(Messages({ variables: ["topic", "audience"] }), {
    default: initial,
    title: "Prompt",
  });
}

const zodPrompt = z.object({
  prompt: Messages({ variables: ["topic", "audience"], default: initial, title: "Prompt" }),
});

const requireOld = createRequire(createRequire(import.meta.url).resolve("@genkit-ai/core"));
const { z: old } = requireOld("zod/v4") as { z: typeof z };

const declarations = [
  ["a class", Prompt],
  ["zod", zodPrompt],
  ["zod/mini", mini.object(zodPrompt.shape)],
  ["zod/v4 of zod 3.25", old.object(zodPrompt.shape)],
  ["a strict zod object", z.strictObject(zodPrompt.shape)],
] as const;

function parsed(declaration: (typeof declarations)[number][1], values: unknown) {
  const schema = compileConfig(declaration as typeof zodPrompt);
  return schema.parse(values, refuse) as ConfigOutcome<InferConfig<typeof zodPrompt>>;
}

describe.each(declarations)("messages in %s", (_, declaration) => {
  it("have their default, a copy for each call", () => {
    const first = parsed(declaration, {});
    expect(first).toMatchObject({ kind: "valid", config: { prompt: initial } });
    if (first.kind === "valid") first.config.prompt[0]!.content = "changed";
    expect(parsed(declaration, {})).toMatchObject({ config: { prompt: initial } });
  });

  it("take any list of messages", () => {
    const prompt = [{ role: "assistant", content: "{{topic}} {not} {{ 1 }} {{a b}}" }];
    expect(parsed(declaration, { prompt })).toMatchObject({ kind: "valid", config: { prompt } });
    expect(parsed(declaration, { prompt: [] })).toMatchObject({ config: { prompt: [] } });
  });

  it.each([
    [null, [], "list_type"],
    [["Hi."], [0], "object_type"],
    [[{ role: "tool", content: "" }], [0, "role"], "choice"],
    [[{ role: "user" }], [0, "content"], "missing_field"],
    [[{ role: "user", content: [] }], [0, "content"], "string_type"],
    [[{ role: "user", content: "", name: "x" }], [0, "name"], "unknown_field"],
    [[{ role: "user", content: "{{topic}} {{tone}}" }], [0, "content"], "unknown_variable"],
  ])("refuse %j", (prompt, path, type) => {
    const outcome = parsed(declaration, { prompt });
    expect(outcome).toMatchObject({
      kind: "invalid",
      issues: [{ path: ["prompt", ...path], type }],
    });
    expect(outcome).toHaveProperty("issues.length", 1);
  });

  it("say which variable they do not know", () => {
    expect(parsed(declaration, { prompt: [{ role: "user", content: "{{tone}}" }] })).toMatchObject({
      issues: [
        { message: "Must be a text whose variables are {{topic}} or {{audience}} (got {{tone}})." },
      ],
    });
  });

  it("are marked in the JSON Schema", () => {
    expect(
      configJsonSchema(compileConfig(declaration as typeof zodPrompt)).properties.prompt,
    ).toEqual({
      type: "array",
      items: {
        type: "object",
        properties: {
          role: {
            type: "string",
            enum: ["system", "user", "assistant"],
            "x-ag-control": "dropdown",
          },
          content: {
            type: "string",
            pattern: expect.any(String),
            "x-ag-variables": ["topic", "audience"],
            "x-ag-control": "text-area",
          },
        },
        required: ["role", "content"],
        additionalProperties: false,
        "x-ag-control": "group",
      },
      default: initial,
      title: "Prompt",
      "x-ag-control": "messages",
    });
  });
});

describe("messages", () => {
  it("are checked by zod itself as well, as part of a larger schema", () => {
    expect(z.object({ outer: zodPrompt }).safeParse({ outer: {} })).toEqual({
      success: true,
      data: { outer: { prompt: initial } },
    });
    const wrong = zodPrompt.safeParse({ prompt: [{ role: "user", content: "{{tone}}" }] });
    expect(wrong.error?.issues).toMatchObject([{ path: ["prompt", 0, "content"], code: "custom" }]);
  });

  it("may be in lists and objects", () => {
    const schema = compileConfig(
      z.object({
        steps: z.object({ prompt: Messages({ default: [] }), name: z.string().default("a") }),
      }),
    );
    expect(
      schema.parse({ steps: { prompt: [{ role: "user", content: 1 }] } }, refuse),
    ).toMatchObject({
      issues: [{ path: ["steps", "prompt", 0, "content"], type: "string_type" }],
    });
  });

  it("take any variable where none are named", () => {
    const schema = compileConfig(z.object({ prompt: Messages({ default: [] }) }));
    const prompt = [{ role: "user", content: "{{anything}}" }];
    expect(schema.parse({ prompt }, refuse)).toEqual({ kind: "valid", config: { prompt } });
  });

  it.each<[string, () => unknown, string]>([
    ["no default", () => z.object({ p: Messages() }), "Config.p: Every field needs a default."],
    [
      "a variable that is no name",
      () => z.object({ p: Messages({ variables: ["{{a}}"], default: [] }) }),
      'Config.p: variables has "{{a}}". A variable is a name such as "topic"',
    ],
    [
      "a default with another variable",
      () =>
        z.object({
          p: Messages({ variables: ["a"], default: [{ role: "user", content: "{{b}}" }] }),
        }),
      "Its own default is not valid. At 0.content: Must be a text whose variables are {{a}} (got {{b}}).",
    ],
    [
      "a class that forgets Field",
      () =>
        class Forgot extends BaseModel {
          p = Messages();
        },
      "Forgot.p: Every member is a field with a default. Write p = ag.Field(ag.Messages()",
    ],
  ])("%s: says so", (_, declaration, message) => {
    expect(() => compileConfig(declaration() as typeof zodPrompt)).toThrow(message);
  });

  it("have a pattern that agrees with the check, for any text and any names", () => {
    const ajv = new Ajv2020({ strict: false });
    const names = fc.uniqueArray(fc.constantFrom("a", "b", "$c", "été", "ab"), { maxLength: 3 });
    const piece = fc.oneof(
      fc.constantFrom(
        "{{",
        "}}",
        "{",
        "}",
        " ",
        "\n",
        "a",
        "b",
        "ab",
        "$c",
        "été",
        "{{a}}",
        "{{ b }}",
      ),
      fc.string({ maxLength: 2 }),
    );
    fc.assert(
      fc.property(names, fc.array(piece, { maxLength: 8 }), (variables, pieces) => {
        const declaration = z.object({ prompt: Messages({ variables, default: [] }) });
        const schema = compileConfig(declaration);
        const values = { prompt: [{ role: "user", content: pieces.join("") }] };
        const isValid = (schema.parse(values, refuse) as ConfigOutcome<unknown>).kind === "valid";
        const jsonSchema = configJsonSchema(schema);
        expect(ajv.validate(jsonSchema, values)).toBe(isValid);
        ajv.removeSchema(jsonSchema);
      }),
    );
  });

  it("are typed by their variables", () => {
    type Config = InferConfig<typeof zodPrompt>;
    expectTypeOf<Config["prompt"]>().toEqualTypeOf<MessageList<"topic" | "audience">>();
    expectTypeOf<Prompt["prompt"]>().toEqualTypeOf<MessageList<"topic" | "audience">>();
    const prompt: Config["prompt"] = [{ role: "user", content: "{{topic}}" }];
    render(prompt, { topic: "bees", audience: "children" });
    // @ts-expect-error: `topik` is no variable, and `topic` is missing
    expect(() => render(prompt, { topik: "bees", audience: "children" })).toThrow("{{topic}}");
    // @ts-expect-error: roles are system, user and assistant
    expect(() => new Prompt({ prompt: [{ role: "tool", content: "" }] })).toThrow("role");
    const withoutDefault = z.object({ p: Messages({ variables: ["a"] }) });
    type Without = EveryFieldDefaults<typeof withoutDefault>;
    expectTypeOf<Without>().toHaveProperty("every field of a configuration needs a default");
    const undeclared: Message[] = [{ role: "user", content: "{{any}}" }];
    expect(render(undeclared, { any: 1 })).toEqual([{ role: "user", content: "1" }]);
  });
});
