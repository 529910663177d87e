/** The work of all three servers: no model, so that what is measured is what is around it. */
export function summarize(text: string, words: number, prompt: string): string {
  return `${prompt} ${text.split(" ").slice(0, words).join(" ")}`;
}
