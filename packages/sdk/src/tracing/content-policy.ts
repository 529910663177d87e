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

/** Makes a value into the text that is recorded of it: redacted, and never longer than the limit. */
export class ContentPolicy {
  readonly #options: ContentOptions;
  readonly #redaction: Redaction;
  readonly #withOwn = new WeakMap<Redact, Redaction>();

  constructor(options: ContentOptions) {
    this.#options = options;
    this.#redaction = createRedaction([options.redact]);
  }

  textOf(value: unknown, about: ContentOf): string {
    const { secrets, limit } = this.#options;
    const redaction = this.#redactionWith(about.redact);
    const { json } = about;
    if (json !== undefined && json.length <= limit && !redaction.mayHide(json)) {
      return secrets.redact(json);
    }
    // Beyond the limit by a secret's length: a secret that the cut goes through must be found too.
    const writer = new JsonWriter({ limit: limit + secrets.longest, hidden: redaction.hidden });
    writer.write(redaction.apply(value, about));
    const text = secrets.redact(writer.text);
    if (!writer.isFull && text.length <= limit) return text;
    return cutText(writer.isFull ? text.slice(0, text.length - secrets.longest) : text, limit);
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
