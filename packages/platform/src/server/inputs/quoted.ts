/** What a client sent, cut short: an answer does not echo a megabyte. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}

/** "a, b or c"; a single one is "only a". */
export function listed(names: readonly string[], word: "and" | "or"): string {
  if (names.length < 2) return `only ${names[0]}`;
  return `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`;
}
