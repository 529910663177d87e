import { describe, expect, it } from "vitest";
import type { AttributeValue } from "../otlp-span.ts";
import { DIALECTS } from "./claims.ts";
import { isContentAttribute, isContentEvent } from "./content-attributes.ts";
import { ContentDraft } from "./content-draft.ts";
import { contentFromEvents } from "./gen-ai-events.ts";

/** Attributes that hold nothing, and note which were asked for. */
class AskedNames extends Map<string, AttributeValue> {
  readonly asked = new Set<string>();

  override get(name: string): AttributeValue | undefined {
    this.asked.add(name);
    // Some readers look at one attribute only where another is there.
    return name.endsWith("mime_type") ? undefined : "{}";
  }

  override has(name: string): boolean {
    return this.get(name) !== undefined;
  }
}

/** Groups whose members were asked for. */
class AskedGroups extends Map<string, []> {
  readonly asked = new Set<string>();

  override get(group: string): undefined {
    this.asked.add(group);
    return undefined;
  }

  override get size(): number {
    return 1;
  }
}

describe("the list of content attributes", () => {
  it.each(DIALECTS.filter(({ content }) => content !== undefined))(
    "has all that $name reads as content",
    ({ content, contentNames, groups, trees }) => {
      const attributes = new AskedNames();
      // A reader stops looking for a side that is filled: each side is emptied whenever it is asked.
      const draft = new ContentDraft();
      const indexed = new AskedGroups();
      Object.defineProperties(draft, {
        indexed: { value: indexed },
        inputs: { get: () => null, set: () => undefined },
        outputs: { get: () => null, set: () => undefined },
        internals: { get: () => null, set: () => undefined },
      });
      content?.(attributes, draft);

      const read = [...attributes.asked].filter((name) => !name.endsWith("mime_type"));
      expect(read.length + indexed.asked.size).toBeGreaterThan(0);
      expect(read.filter((name) => !isContentAttribute(name, "text"))).toEqual([]);
      const members = [...indexed.asked].map((group) => `${group}.0.some.member`);
      expect(members.filter((name) => !isContentAttribute(name, "text"))).toEqual([]);
      // And what is claimed for content is read: a name that nothing reads would vanish.
      expect([...(contentNames ?? [])].filter((name) => !read.includes(name))).toEqual([]);
      expect(
        [...(groups ?? []), ...(trees ?? [])].filter((group) => !indexed.asked.has(group)),
      ).toEqual([]);
    },
  );

  it("has the events that are read as content, or what is read of them", () => {
    const names = [
      "gen_ai.system.message",
      "gen_ai.user.message",
      "gen_ai.assistant.message",
      "gen_ai.tool.message",
      "gen_ai.choice",
      "gen_ai.content.prompt",
      "gen_ai.content.completion",
    ];
    expect(names.filter((name) => !isContentEvent(name))).toEqual([]);

    const attributes = new AskedNames();
    const name = "gen_ai.client.inference.operation.details";
    const event = { name, time: { us: 0, nanos: 0 }, attributes, droppedAttributesCount: 0 };
    contentFromEvents([event], new ContentDraft());
    expect(attributes.asked.size).toBe(4);
    expect([...attributes.asked].filter((each) => !isContentAttribute(each, "text"))).toEqual([]);
    expect(isContentEvent(name)).toBe(false);
  });

  it("has no name of a model, a provider, a kind, a user, a parameter or a figure", () => {
    const names = DIALECTS.flatMap(({ text, numbers, kind, parameters }) => [
      ...Object.values(text ?? {}).flat(),
      ...Object.values(numbers ?? {}).flat(),
      ...[kind ?? []].flat().map(({ name }) => name),
      ...Object.keys(parameters ?? {}),
    ]);
    expect(names.length).toBeGreaterThan(80);
    const figures = new Set(DIALECTS.flatMap(({ numbers }) => Object.values(numbers ?? {}).flat()));
    const isTaken = (name: string) => isContentAttribute(name, figures.has(name) ? 1 : "text");
    // A message of an error may quote what was sent.
    expect(names.filter(isTaken)).toEqual(["langfuse.observation.status_message"]);
    expect(isContentAttribute("gen_ai.prompt.name", "greeting")).toBe(false);
    expect(isContentAttribute("gen_ai.request.temperature", 0.5)).toBe(false);
  });

  it.each([
    "mlflow.spanInputs",
    "genkit:output",
    "vercel.ai.prompt",
    "vercel.ai.response.text",
    "gen_ai.request.messages",
    "gen_ai.response.tool_calls",
    "app.messages.0.text",
    "pydantic_ai.all_messages",
    "db.query.parameter.name",
    "prompt",
  ])("knows %s of tools that no dialect is for", (name) => {
    expect(isContentAttribute(name, "text")).toBe(true);
  });
});
