/** A piece of a template: text as it is, or a variable with the text that it was written as. */
export interface TemplatePart {
  readonly text: string;
  readonly variable?: string;
}

/** `{{topic}}` or `{{ topic }}`. Braces around anything that is not a name are text. */
export const VARIABLE_SYNTAX = "\\{\\{\\s*([\\p{ID_Start}_$][\\p{ID_Continue}$]*)\\s*\\}\\}";

/** The text in pieces; joined they are the text again. */
export function splitTemplate(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of text.matchAll(new RegExp(VARIABLE_SYNTAX, "gu"))) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    parts.push({ text: match[0], variable: match[1]! });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** The first variable of the text that is none of these. */
export function unknownVariable(text: string, known: readonly string[]): string | undefined {
  return splitTemplate(text).find(
    ({ variable }) => variable !== undefined && !known.includes(variable),
  )?.variable;
}

/** What a text with these variables may have: `text with only {{a}} and {{b}} as variables`. */
export function templateName(variables: readonly string[]): string {
  const shown = variables.map((name) => `{{${name}}}`);
  if (shown.length === 0) return "a text without variables";
  const last = shown.pop();
  return `a text whose variables are ${shown.length === 0 ? last : `${shown.join(", ")} or ${last}`}`;
}
