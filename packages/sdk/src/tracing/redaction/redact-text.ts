import { redactIfJson } from "@agate/spans/redaction";
import type { HiddenKeys, PathFilter } from "./hidden-keys.ts";
import { redactFreeText } from "./redact-free-text.ts";

/**
 * A text without the values of hidden keys. JSON, also JSON that was cut, is read for what it is, with
 * the JSON inside its texts; in other text, what follows a key is hidden.
 *
 * @param path Where the text is.
 */
export function redactText(
  text: string,
  keys: HiddenKeys,
  hides: PathFilter,
  path: readonly string[],
): string {
  if (!keys.mayBeIn(text)) return text;
  return (
    redactIfJson(text, {
      base: path,
      hides,
      text: (inner, at) => redactText(inner, keys, hides, at),
      cut: (raw) => redactFreeText(raw, keys),
    }) ?? redactFreeText(text, keys)
  );
}
