import { embeddedObject, quoted, valueText } from "../dialects/json-text.ts";
import type { Parameter, SpanReading } from "./span-reading.ts";

/**
 * The parameters of a model call as JSON, for a span without a configuration of its own; null when
 * it has none. Marks the attributes that it shows.
 */
export function requestConfigText(reading: SpanReading): string | null {
  const model = reading.text.requestModel;
  const modelText = model === null ? "" : `"model":${quoted(model)}`;
  const object = parameterObjectText(reading);
  if (object !== null) return withModel(object, modelText);
  const members = parametersText(reading);
  if (members === "") return modelText === "" ? null : `{${modelText}}`;
  return `{${modelText}${modelText === "" ? "" : ","}${members}}`;
}

function parameterObjectText(reading: SpanReading): string | null {
  if (reading.parameterObject === null) return null;
  const { name, value } = reading.parameterObject;
  const text = embeddedObject(value);
  if (text !== null) reading.draft.shown.add(name);
  return text;
}

function withModel(object: string, modelText: string): string {
  if (modelText === "" || object.includes('"model"')) return object;
  const members = object.trim().slice(1, -1).trim();
  return `{${modelText}${members === "" ? "" : `,${members}`}}`;
}

// Two dialects may send the same parameter: the better one is shown, the other stays among the
// attributes unless it says the same.
function parametersText({ parameters, draft }: SpanReading): string {
  const best = new Map<string, Parameter>();
  for (const parameter of parameters) {
    const other = best.get(parameter.key);
    if (other === undefined || parameter.rank < other.rank) best.set(parameter.key, parameter);
  }
  let text = "";
  for (const { key, name, value } of best.values()) {
    text += `${text === "" ? "" : ","}${key}${valueText(value)}`;
    draft.shown.add(name);
  }
  if (best.size === parameters.length) return text;
  for (const { key, name, value } of parameters) {
    const shown = best.get(key);
    if (shown !== undefined && valueText(shown.value) === valueText(value)) draft.shown.add(name);
  }
  return text;
}
