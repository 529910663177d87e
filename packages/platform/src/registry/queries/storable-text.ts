/** Text as every database takes it and gives it back: PostgreSQL has no NUL, and none has half a character. */
export function storableText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}
