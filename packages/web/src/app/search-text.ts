/** The search of a URL as plain text, name by name: short, readable, and nothing is guessed to be a number. */
export function parseSearchText(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearchText(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  // Paths, times and names of revisions stay readable; all may stand in a query as they are.
  return text === "" ? "" : `?${text.replace(/%(?:2F|3A|2C|40)/g, decodeURIComponent)}`;
}
