import type { Attributes, OtlpEvent } from "../otlp-span.ts";
import type { ContentDraft } from "./content-draft.ts";
import { embedded, quoted } from "./json-text.ts";

const ROLES: ReadonlyMap<string, string> = new Map([
  ["gen_ai.system.message", "system"],
  ["gen_ai.user.message", "user"],
  ["gen_ai.assistant.message", "assistant"],
  ["gen_ai.tool.message", "tool"],
]);

const CHOICE = "gen_ai.choice";
const PROMPT = "gen_ai.content.prompt";
const COMPLETION = "gen_ai.content.completion";
const DETAILS = "gen_ai.client.inference.operation.details";

/** Whether an event of this name holds messages of a call, or one of its sides. */
export function isMessageEvent(name: string): boolean {
  return ROLES.has(name) || [CHOICE, PROMPT, COMPLETION, DETAILS].includes(name);
}

/** What the events of a call hold, each part as JSON. */
export interface EventContent {
  /** Sides that one event holds as a whole. */
  inputs: string | null;
  outputs: string | null;
  /** Messages to the model, in the order of the events. */
  readonly asked: string[];
  /** Messages from the model. */
  readonly answered: string[];
  hasMessages: boolean;
}

/** Reads the events in which GenAI instrumentations put a call's messages. */
export function eventContent(events: readonly OtlpEvent[]): EventContent {
  const asked: string[] = [];
  const answered: string[] = [];
  const content: EventContent = {
    inputs: null,
    outputs: null,
    asked,
    answered,
    hasMessages: false,
  };
  for (const { name, attributes } of events) {
    if (!name.startsWith("gen_ai.")) continue;
    const role = ROLES.get(name);
    if (role !== undefined) asked.push(message(attributes, role));
    else if (name === CHOICE) answered.push(message(attributes, "assistant"));
    else readWhole(name, attributes, content);
  }
  if (asked.length + answered.length > 0) content.hasMessages = true;
  return content;
}

/**
 * Fills what is still empty from the span's events, where older GenAI instrumentations put a call's
 * messages. The events themselves stay in the record.
 */
export function contentFromEvents(events: readonly OtlpEvent[], draft: ContentDraft): void {
  if (draft.inputs !== null && draft.outputs !== null) return;
  const { inputs, outputs, asked, answered, hasMessages } = eventContent(events);
  if (hasMessages) draft.hasMessages = true;
  draft.inputs ??= inputs ?? messagesText(asked);
  draft.outputs ??= outputs ?? messagesText(answered);
}

/** Messages as one side of a call; null without any. */
function messagesText(messages: readonly string[]): string | null {
  return messages.length === 0 ? null : `{"messages":[${messages.join(",")}]}`;
}

// One event that holds all of a side.
function readWhole(name: string, attributes: Attributes, content: EventContent): void {
  const read = (attribute: string) => {
    const value = attributes.get(attribute);
    return value === undefined ? null : embedded(value, "sniff");
  };
  if (name === PROMPT) content.inputs ??= read("gen_ai.prompt");
  else if (name === COMPLETION) content.outputs ??= read("gen_ai.completion");
  else if (name === DETAILS) {
    content.inputs ??= object([
      ["messages", read("gen_ai.input.messages")],
      ["system_instructions", read("gen_ai.system_instructions")],
      ["tools", read("gen_ai.tool.definitions")],
    ]);
    content.outputs ??= object([["messages", read("gen_ai.output.messages")]]);
    content.hasMessages = true;
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
