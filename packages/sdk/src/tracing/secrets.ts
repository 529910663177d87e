import { environment } from "../runtime/environment.ts";

/** A shorter text would be found inside ordinary words, and hiding it would spoil every record. */
const SHORTEST = 4;

/** A text that is replaced wherever it is found. */
interface HiddenText {
  readonly text: string;
  readonly replacement: string;
}

/** The values that must not leave the process in a span, a warning or an error. */
export class Secrets {
  /** Longest first: one secret may be the beginning of another. */
  #hidden: readonly HiddenText[] = [];

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

  hide(texts: readonly HiddenText[]): void {
    const known = new Map([...texts, ...this.#hidden].map((each) => [each.text, each]));
    this.#hidden = [...known.values()].sort((a, b) => b.text.length - a.text.length);
  }

  /** Replaces every secret in a text by its name. */
  redact(text: string): string {
    let redacted = text;
    for (const { text: secret, replacement } of this.#hidden) {
      if (!redacted.includes(secret)) continue;
      // In JSON, a backslash that is left over would escape what follows it.
      const slash = (whole: string, at: number) => (isEscaped(whole, at) ? "\\" : "");
      redacted = redacted.replaceAll(
        secret,
        (_, at: number, whole: string) =>
          slash(whole, at) + replacement + slash(whole, at + secret.length),
      );
    }
    return redacted;
  }
}

/** Whether the character at this place is escaped by a backslash before it. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === "\\") first--;
  return (at - first) % 2 === 1;
}

/**
 * Adds a value that is replaced by its name. Not a method, so that a bundle of a program without secrets has
 * none of it.
 */
export function addSecret(secrets: Secrets, name: string, value: string): void {
  if (value.trim().length < SHORTEST) {
    throw new Error(
      `The secret ${name} has fewer than ${SHORTEST} characters. So short a value cannot be hidden from traces without hiding ordinary text as well: use a longer one, or read the environment variable yourself.`,
    );
  }
  const replacement = `[secret:${name}]`;
  secrets.hide([...formsOf(value)].map((text) => ({ text, replacement })));
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

/** The secrets of this process: whichever app asked for one, none may show it. */
export const processSecrets = new Secrets();

const TELL_PLATFORM = Symbol.for("agate.secret");

/**
 * Reads a secret from the environment. From then on its value is replaced by `[secret:NAME]` in
 * every span, warning and error of Agate's, and in what a deployed build prints.
 *
 * @example
 * const openai = new OpenAI({ apiKey: ag.secret("OPENAI_API_KEY") });
 */
export function secret(name: string): string {
  const value = environment(name);
  if (value === undefined) {
    throw new Error(
      `The secret ${name} is not there: set the environment variable ${name} before the process starts.`,
    );
  }
  addSecret(processSecrets, name, value);
  // Where a platform runs this process: it keeps the value out of what the program prints.
  (globalThis as { [TELL_PLATFORM]?: (name: string, value: string) => void })[TELL_PLATFORM]?.(
    name,
    value,
  );
  return value;
}

/** A copy without secrets of what may be in a span: texts, lists, plain objects and errors. */
export function redactValue<T>(value: T, secrets: Secrets): T;
export function redactValue(value: unknown, secrets: Secrets): unknown {
  if (typeof value === "string") return secrets.redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, secrets));
  if (value instanceof Error) return redactError(value, secrets);
  if (value instanceof Date || ArrayBuffer.isView(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, redactValue(item, secrets)]));
}

function redactError({ name, message, stack, ...rest }: Error, secrets: Secrets): object {
  return redactValue({ name, message, stack, code: (rest as { code?: unknown }).code }, secrets);
}
