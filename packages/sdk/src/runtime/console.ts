/** Tells a person something that no caller can be told. */
export function warnOnConsole(sentence: string): void {
  // biome-ignore lint/suspicious/noConsole: a library has no other way to reach a person.
  console.warn(`[agate] ${sentence}`);
}
