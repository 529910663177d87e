/** One server-sent event. JSON text has no line breaks of its own, so one `data` line holds it. */
export function sentEvent(event: "chunk" | "error" | "done", json: string): string {
  return `event: ${event}\ndata: ${json}\n\n`;
}
