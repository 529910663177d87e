/** A shorter text would be found inside ordinary words, and hiding it would spoil every record. */
const SHORTEST = 4;

interface Hidden {
  readonly text: string;
  readonly replacement: string;
}

/** The values that must not leave the process in a span, a warning or an error. */
export class Secrets {
  /** Longest first: one secret may be the beginning of another. */
  #hidden: readonly Hidden[] = [];

  get isEmpty(): boolean {
    return this.#hidden.length === 0;
  }

  /** How many characters the longest form has: a text that is cut may end inside it. */
  get longest(): number {
    return this.#hidden[0]?.text.length ?? 0;
  }

  /** How often it has changed, for those who keep redacted copies. */
  get version(): number {
    return this.#hidden.length;
  }

  add(name: string, value: string): void {
    if (value.trim().length < SHORTEST) {
      throw new Error(
        `The secret ${name} has fewer than ${SHORTEST} characters. So short a value cannot be hidden from traces without hiding ordinary text as well: use a longer one, or read the environment variable yourself.`,
      );
    }
    const known = new Map(this.#hidden.map((each) => [each.text, each]));
    for (const text of formsOf(value)) {
      if (!known.has(text)) known.set(text, { text, replacement: `[secret:${name}]` });
    }
    this.#hidden = [...known.values()].sort((a, b) => b.text.length - a.text.length);
  }

  /** Replaces every secret in a text by its name. */
  redact(text: string): string {
    let redacted = text;
    for (const { text: secret, replacement } of this.#hidden) {
      if (redacted.includes(secret)) redacted = redacted.replaceAll(secret, () => replacement);
    }
    return redacted;
  }
}

// As it is, as JSON inside strings (and JSON inside that JSON) writes it, and as a URL does.
function formsOf(value: string): Set<string> {
  const trimmed = value.trim();
  const forms = new Set([value, trimmed, encodeURIComponent(trimmed.toWellFormed())]);
  let escaped = trimmed;
  for (let depth = 0; depth < 3; depth++) {
    escaped = JSON.stringify(escaped).slice(1, -1);
    forms.add(escaped);
  }
  return forms;
}
