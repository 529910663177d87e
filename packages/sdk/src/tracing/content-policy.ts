import { JsonWriter } from "./json-writer.ts";
import { type ContentField, createRedaction, type Redact, type Redaction } from "./redaction.ts";
import type { Secrets } from "./secrets.ts";

/** What a value that is to be recorded belongs to. */
export interface ContentOf {
  readonly field: ContentField;
  /** The name of the span. */
  readonly span: string;
  /** Beyond the app's own. */
  readonly redact?: Redact | undefined;
  /** The value as JSON, where it is known to be plain data: it need not be written again. */
  readonly json?: string | undefined;
}

export interface ContentOptions {
  readonly redact: Redact | undefined;
  readonly secrets: Secrets;
  /** Characters of JSON a field. */
  readonly limit: number;
}

/** What is recorded of a value. */
export interface RecordedContent {
  /** JSON; null where nothing of it is recorded. */
  readonly text: string | null;
  /** Whether the settings left something of the value out, or replaced it. */
  readonly isRedacted: boolean;
}

/** Makes a value into the text that is recorded of it: redacted, and never longer than the limit. */
export class ContentPolicy {
  readonly #options: ContentOptions;
  readonly #redaction: Redaction;
  readonly #withOwn = new WeakMap<Redact, Redaction>();

  constructor(options: ContentOptions) {
    this.#options = options;
    this.#redaction = createRedaction([options.redact]);
  }

  recordedOf(value: unknown, about: ContentOf): RecordedContent {
    const { secrets, limit } = this.#options;
    const redaction = this.#redactionWith(about.redact);
    const { json } = about;
    if (json !== undefined && json.length <= limit && !redaction.mayHide(json)) {
      return { text: secrets.redact(json), isRedacted: false };
    }
    // Beyond the limit by a secret's length: a secret that the cut goes through must be found too.
    const writer = new JsonWriter({ limit: limit + secrets.longest, hidden: redaction.hidden });
    const allowed = redaction.apply(value, about);
    writer.write(allowed);
    // A function may return a copy in which nothing differs.
    const isReplaced = !Object.is(allowed, value) && writer.text !== json;
    const isRedacted = writer.hasRedacted || isReplaced;
    const text = secrets.redact(writer.text);
    if (!writer.isFull && text.length <= limit) return { text, isRedacted };
    const start = writer.isFull ? text.slice(0, text.length - secrets.longest) : text;
    return { text: cutText(start, limit), isRedacted };
  }

  #redactionWith(own: Redact | undefined): Redaction {
    if (own === undefined) return this.#redaction;
    const known = this.#withOwn.get(own);
    if (known !== undefined) return known;
    const redaction = createRedaction([own, this.#options.redact]);
    this.#withOwn.set(own, redaction);
    return redaction;
  }
}

// Valid JSON of at most `limit` characters that says what it is.
function cutText(text: string, limit: number): string {
  const open = `{"truncated":true,"limit":${limit},"start":`;
  const room = limit - open.length - 1;
  let start = text.slice(0, Math.max(room - 2, 0));
  let quoted = JSON.stringify(start);
  while (quoted.length > room && start !== "") {
    start = start.slice(0, Math.max(Math.floor((start.length * room) / quoted.length) - 1, 0));
    quoted = JSON.stringify(start);
  }
  return `${open}${quoted}}`;
}
