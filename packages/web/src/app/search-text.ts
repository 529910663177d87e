/** The search of a URL as plain text, name by name: short, readable, and nothing is guessed to be a number. */
export type SearchText = Readonly<Record<string, string | undefined>>;

export function parseSearchText(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearchText(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  // Paths and times stay readable; both may stand in a query as they are.
  return text === "" ? "" : `?${text.replaceAll("%2F", "/").replaceAll("%3A", ":")}`;
}
