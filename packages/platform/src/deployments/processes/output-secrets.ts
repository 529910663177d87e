/** A shorter text would be found inside ordinary words. */
const SHORTEST = 4;
/** Of a line of a secret with several lines, such as a private key: shorter ones say nothing. */
const SHORTEST_LINE = 8;
/** A program that told more would only slow its own output down. */
const MOST = 1_000;

/** What a build's process sends when `ag.secret` was called in it. */
export interface SecretMessage {
  readonly agate: "secret";
  readonly name: string;
  readonly value: string;
}

/** The secrets that a build's process has read, to be kept out of what it prints. */
export class OutputSecrets {
  /** What to hide, and by what it is replaced. Longest first: one may be the beginning of another. */
  #hidden: readonly (readonly [text: string, replacement: string])[] = [];

  /** How many characters the longest has: a text that is cut may end inside it. */
  get longest(): number {
    return this.#hidden[0]?.[0].length ?? 0;
  }

  /** Takes a message of the process. What is no message about a secret is ignored. */
  take(message: unknown): void {
    if (!isSecretMessage(message) || this.#hidden.length >= MOST) return;
    const { name, value } = message;
    const known = new Map(this.#hidden);
    for (const form of formsOf(value)) {
      if (!known.has(form)) known.set(form, `[secret:${name}]`);
    }
    this.#hidden = [...known].sort(([a], [b]) => b.length - a.length);
  }

  redact(line: string): string {
    let redacted = line;
    for (const [text, replacement] of this.#hidden) {
      if (redacted.includes(text)) redacted = redacted.replaceAll(text, () => replacement);
    }
    return redacted;
  }
}

function isSecretMessage(message: unknown): message is SecretMessage {
  const { agate, name, value } = (message ?? {}) as Record<string, unknown>;
  return (
    agate === "secret" &&
    typeof name === "string" &&
    typeof value === "string" &&
    value.trim().length >= SHORTEST
  );
}

// As it is, line by line, and as JSON, util.inspect, URLs and basic authentication write it.
function formsOf(value: string): Set<string> {
  const trimmed = value.trim();
  const lines = trimmed.split(/\r?\n/).filter((line) => line.length >= SHORTEST_LINE);
  const plain = trimmed.includes("\n") ? lines : [trimmed, ...lines];
  const quoted = JSON.stringify(trimmed).slice(1, -1);
  const encoded = [quoted, JSON.stringify(quoted).slice(1, -1), trimmed.replaceAll("'", "\\'")];
  const base64 = Buffer.from(trimmed).toString("base64");
  return new Set([...plain, ...encoded, encodeURIComponent(trimmed.toWellFormed()), base64]);
}
