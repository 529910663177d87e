// `gpt-5-mini-2025-08-07`, `claude-sonnet-4-5-20250929`, and Vertex's `claude-sonnet-4-5@20250929`.
const DATE = /[-@]20\d{2}-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])(?=$|-v\d|:)/;

/** The names under which a model's prices may be listed, the most exact first, in lower case. */
export function modelNames(model: string): readonly string[] {
  const full = model.trim().toLowerCase();
  const names = new Set([full]);
  // Google's `models/gemini-3-pro`, `publishers/google/models/…`
  const path = full.lastIndexOf("models/");
  if (path >= 0) names.add(full.slice(path + "models/".length));
  for (const name of [...names]) {
    names.add(name.replace(DATE, ""));
    if (name.endsWith("-latest")) names.add(name.slice(0, -"-latest".length));
  }
  return [...names].filter((name) => name !== "");
}
