/** What a thrown value says, whatever was thrown. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message || thrown.name;
    return String(thrown);
  } catch {
    return "unknown error";
  }
}
