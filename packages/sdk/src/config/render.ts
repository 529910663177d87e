import { shownChoices, splitTemplate } from "@agate/protocol";
import type { Message, MessageList } from "./messages.ts";

/** What a variable stands for: text as it is, anything else as JSON. */
export type TemplateValue = string | number | boolean | object;

/**
 * Puts values in the place of `{{variables}}`: in every message of a prompt, or in a text. Values are
 * never read as templates themselves.
 *
 * @throws TypeError that names a variable without a value.
 *
 * @example
 * const messages = ag.render(config.prompt, { text });
 */
export function render<Variables extends string>(
  prompt: MessageList<Variables>,
  values: Readonly<Record<NoInfer<Variables>, TemplateValue>>,
): Message[];
export function render(text: string, values: Readonly<Record<string, TemplateValue>>): string;
export function render(
  template: string | readonly Message[],
  values: Readonly<Record<string, unknown>>,
): string | Message[] {
  if (typeof template === "string") return renderText(template, values);
  return template.map((message) => ({ ...message, content: renderText(message.content, values) }));
}

function renderText(template: string, values: Readonly<Record<string, unknown>>): string {
  return splitTemplate(template)
    .map(({ text, variable }) => (variable === undefined ? text : shownFor(variable, values)))
    .join("");
}

function shownFor(variable: string, values: Readonly<Record<string, unknown>>): string {
  // Every object inherits a `constructor`, which is a fine name for a variable.
  const value = Object.hasOwn(values, variable) ? values[variable] : undefined;
  if (value === undefined || value === null) {
    const given = Object.keys(values);
    throw new TypeError(
      `The prompt has {{${variable}}}, and ag.render was given no value for it${
        given.length === 0
          ? ""
          : `, only for ${shownChoices(given)
              .replace(/^only /, "")
              .replace(/ or /, " and ")}`
      }. Pass { ${variable}: … }, or take the variable out of the prompt.`,
    );
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
