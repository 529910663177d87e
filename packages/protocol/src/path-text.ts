import { shownValue } from "./shown-value.ts";

/** @example pathText(["messages", 0, "content"]) // messages[0].content */
export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      if (!/^[\w/-]+$/.test(key)) return `[${shownValue(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}
