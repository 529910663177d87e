const LONGEST = 64;

/** A value for a message, cut short: an answer does not echo a megabyte. */
export function shownValue(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value);
  }
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) ? "a list" : "an object";
  }
  if (typeof value === "function") return "a function";
  return Object.is(value, -0) ? "-0" : String(value);
}

/** Strings for a message: `"a", "b" or "c"`; a single one as `only "a"`. */
export function shownChoices(choices: readonly string[]): string {
  return choices.length === 1 ? `only ${choiceList(choices)}` : choiceList(choices);
}

/** Strings for a message: `"a", "b" or "c"`. */
export function choiceList(choices: readonly string[]): string {
  const few = choices.slice(0, 8).map(shownValue);
  const more = choices.length - few.length;
  const last = more > 0 ? `${more} others` : few.pop();
  return few.length === 0 ? String(last) : `${few.join(", ")} or ${last}`;
}

/** The message for a value that is not allowed. @example mustBe("10 or less", "99") // Must be 10 or less (got 99). */
export function mustBe(allowed: string, given: string): string {
  return `Must be ${allowed} (got ${given}).`;
}

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
