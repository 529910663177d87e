import type { Attributes, OtlpEvent } from "../otlp-span.ts";
import type { ContentDraft } from "./content-draft.ts";
import { embedded, quoted } from "./json-text.ts";

const ROLES: ReadonlyMap<string, string> = new Map([
  ["gen_ai.system.message", "system"],
  ["gen_ai.user.message", "user"],
  ["gen_ai.assistant.message", "assistant"],
  ["gen_ai.tool.message", "tool"],
]);

/**
 * Fills what is still empty from the span's events, where older GenAI instrumentations put a call's
 * messages. The events themselves stay in the record.
 */
export function contentFromEvents(events: readonly OtlpEvent[], draft: ContentDraft): void {
  if (draft.inputs !== null && draft.outputs !== null) return;
  const asked: string[] = [];
  const answered: string[] = [];
  for (const { name, attributes } of events) {
    if (!name.startsWith("gen_ai.")) continue;
    const role = ROLES.get(name);
    if (role !== undefined) asked.push(message(attributes, role));
    else if (name === "gen_ai.choice") answered.push(message(attributes, "assistant"));
    else wholeContent(name, attributes, draft);
  }
  if (asked.length + answered.length > 0) draft.hasMessages = true;
  if (asked.length > 0) draft.inputs ??= `{"messages":[${asked.join(",")}]}`;
  if (answered.length > 0) draft.outputs ??= `{"messages":[${answered.join(",")}]}`;
}

// One event that holds all of a side.
function wholeContent(name: string, attributes: Attributes, draft: ContentDraft): void {
  const read = (attribute: string) => {
    const value = attributes.get(attribute);
    return value === undefined ? null : embedded(value, "sniff");
  };
  if (name === "gen_ai.content.prompt") draft.inputs ??= read("gen_ai.prompt");
  else if (name === "gen_ai.content.completion") draft.outputs ??= read("gen_ai.completion");
  else if (name === "gen_ai.client.inference.operation.details") {
    draft.inputs ??= object([
      ["messages", read("gen_ai.input.messages")],
      ["system_instructions", read("gen_ai.system_instructions")],
      ["tools", read("gen_ai.tool.definitions")],
    ]);
    draft.outputs ??= object([["messages", read("gen_ai.output.messages")]]);
    draft.hasMessages = true;
  }
}

// The message is the event's attributes; some clients put it whole into one of them.
function message(attributes: Attributes, role: string): string {
  const whole = attributes.get("gen_ai.event.content");
  if (whole !== undefined) return embedded(whole, "sniff");
  const members: [string, string][] = attributes.has("role") ? [] : [["role", quoted(role)]];
  for (const [key, value] of attributes) {
    if (!key.startsWith("gen_ai.")) members.push([key, embedded(value, "sniff")]);
  }
  return object(members) ?? "{}";
}

function object(members: readonly (readonly [string, string | null])[]): string | null {
  const known = members.filter(([, value]) => value !== null);
  return known.length === 0
    ? null
    : `{${known.map(([name, value]) => `${quoted(name)}:${value}`).join(",")}}`;
}
