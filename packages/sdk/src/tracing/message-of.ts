/** The message of a thrown value of any kind. Never throws, and always a string. */
export function messageOf(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return String(thrown);
    const message: unknown = thrown.message || thrown.name;
    return typeof message === "string" ? message : String(message);
  } catch {
    return "The thrown value has no readable message.";
  }
}
