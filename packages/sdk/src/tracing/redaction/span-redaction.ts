import { AGATE_ATTRIBUTES } from "@agate/protocol";
import { isContentAttribute, isContentEvent } from "@agate/spans/content";
import { REDACTED } from "@agate/spans/redaction";
import type { Attributes, AttributeValue, Exception, Link, SpanStatus } from "@opentelemetry/api";
import type { AnyReadableSpan, EndedSpan } from "../ended-span.ts";
import { parentOf, scopeOf } from "../ended-span.ts";
import { type ContentField, createRedaction, type Redact, type Redaction } from "../redaction.ts";
import type { HiddenKeys, PathFilter } from "./hidden-keys.ts";
import { redactText } from "./redact-text.ts";

type SpanEvent = NonNullable<AnyReadableSpan["events"]>[number];

export interface SpanRedactionOptions {
  /** False to leave out all content. */
  readonly capturesContent: boolean;
  readonly redact: Redact | undefined;
}

interface ThrownParts {
  readonly name?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly code?: string | number;
}

/** What is known of an attribute by its name. */
interface NameTraits {
  /** Of texts, lists and objects. */
  readonly isContent: boolean;
  readonly isContentAsFigure: boolean;
  readonly isHidden: boolean;
  /** Set by Agate itself, and no content: a route, a variant, a figure. */
  readonly isAgates: boolean;
  readonly errorText: "message" | "stack" | undefined;
  readonly path: readonly string[];
}

/** Names are few, but for those that have an index or an id in them. */
const MOST_NAMES = 2_000;

const AGATES: ReadonlySet<string> = new Set(Object.values(AGATE_ATTRIBUTES));
/** What Agate itself records of a value: functions have seen it, and its top is known. */
const AGATES_CONTENT: ReadonlySet<string> = new Set([
  AGATE_ATTRIBUTES.inputs,
  AGATE_ATTRIBUTES.internals,
  AGATE_ATTRIBUTES.outputs,
  AGATE_ATTRIBUTES.config,
]);

// Names that conventions give to models, tools and figures. A key like `name` means a person's.
const STRUCTURE =
  /^(?:gen_ai|ai|llm|openinference|traceloop|langfuse|tool|agent|embedding|reranker)\.(?!.*(?:metadata|context|properties)\.)(?:(?:usage|token_count|cost)\.|(?:[a-z_]+\.)*(?:\w*(?:name|model|id)|type|kind|system|provider|version)$)/i;

const OF_OUTPUTS =
  /output|response|completion|result|choice|embedding|ranking|answer|documents|transcript/i;

/** Removes from spans of every library what an app's settings exclude, and marks those with `ag.redacted`. */
export class SpanRedaction {
  readonly #capturesContent: boolean;
  readonly #redaction: Redaction;
  readonly #keys: HiddenKeys | undefined;
  /** What the settings name in full. */
  readonly #named: ReadonlySet<string>;
  readonly #traits = new Map<string, NameTraits>();

  /** Undefined where the settings leave everything as it is: then spans cost nothing more. */
  static of(options: SpanRedactionOptions): SpanRedaction | undefined {
    const redaction = createRedaction([options.redact]);
    const isOn = !options.capturesContent || !redaction.isEmpty;
    return isOn ? new SpanRedaction(options, redaction) : undefined;
  }

  private constructor({ capturesContent, redact }: SpanRedactionOptions, redaction: Redaction) {
    this.#capturesContent = capturesContent;
    this.#redaction = redaction;
    this.#keys = this.#redaction.hidden;
    this.#named = new Set(typeof redact === "function" ? [] : redact);
  }

  /** A span as it may be sent and shown: the same, where there is nothing to hide in it. */
  ended(ended: EndedSpan): EndedSpan {
    const { span, added, call } = ended;
    const { events = [], links = [], resource } = span;
    const name = this.text(span.name);
    const attributes = this.attributes(span.attributes, span.name);
    const status = this.status(span.status, errorTypeOf(span));
    const shownEvents = sameOr(
      events,
      events.map((event) => this.#event(event, span.name)).filter((event) => event !== undefined),
    );
    const shownLinks = sameOr(
      links,
      links.map((link) => this.link(link, span.name)),
    );
    const isSame =
      name === span.name &&
      attributes === span.attributes &&
      status === span.status &&
      shownEvents === events &&
      shownLinks === links;
    if (isSame) return ended;
    const marked = picked(attributes, Object.keys(attributes));
    marked[AGATE_ATTRIBUTES.redacted] = true;
    const parent = parentOf(span);
    const shown: AnyReadableSpan = {
      name,
      kind: span.kind ?? 0,
      spanContext: () => span.spanContext(),
      ...(parent !== undefined && { parentSpanContext: parent }),
      startTime: span.startTime,
      endTime: span.endTime,
      duration: span.duration ?? [0, 0],
      attributes: marked,
      status,
      events: shownEvents,
      links: shownLinks,
      ...(resource !== undefined && { resource }),
      instrumentationScope: scopeOf(span),
      droppedAttributesCount: span.droppedAttributesCount ?? 0,
      droppedEventsCount: span.droppedEventsCount ?? 0,
      droppedLinksCount: span.droppedLinksCount ?? 0,
    };
    return { span: shown, added, call };
  }

  /**
   * The same object, where there is nothing to hide in it.
   *
   * @param span The name of the span.
   */
  attributes(attributes: Attributes, span: string): Attributes {
    const names = Object.keys(attributes);
    let shown: Attributes | undefined;
    for (const [index, name] of names.entries()) {
      const value = this.#attribute(name, attributes, span);
      if (shown === undefined && Object.is(value, attributes[name])) continue;
      shown ??= picked(attributes, names.slice(0, index));
      if (value !== undefined) shown[name] = value;
    }
    return shown ?? attributes;
  }

  /** Undefined where it is to be left out. */
  attribute(name: string, value: AttributeValue, span: string): AttributeValue | undefined {
    return this.#attribute(name, { [name]: value }, span);
  }

  /** Whether an event is to be left out altogether. */
  hidesEvent(name: string): boolean {
    return !this.#capturesContent && isContentEvent(name);
  }

  /** Likewise the same where nothing is hidden, as all that follow. */
  link(link: Link, span: string): Link {
    if (link.attributes === undefined) return link;
    const attributes = this.attributes(link.attributes, span);
    return attributes === link.attributes ? link : { ...link, attributes };
  }

  /** Without content, a message is what the error was a case of, as far as that is known. */
  status(status: SpanStatus, errorType?: string): SpanStatus {
    const { code, message } = status;
    if (!message) return status;
    const shown = this.#capturesContent ? this.text(message) : errorType;
    if (shown === message) return status;
    return shown === undefined ? { code } : { code, message: shown };
  }

  /** What was thrown, as far as it may be recorded. */
  exception(exception: Exception): Exception {
    const thrown: ThrownParts =
      typeof exception === "string" ? { message: exception } : (exception as ThrownParts);
    const { name = "Error", message, stack, code } = thrown;
    const given = {
      "exception.type": name,
      // Empty ones are not recorded.
      "exception.message": message || undefined,
      "exception.stacktrace": stack || undefined,
    };
    const shown = this.attributes(given, "");
    if (shown === given) return exception;
    const kept = { message: shown["exception.message"], stack: shown["exception.stacktrace"] };
    return { name, ...(code !== undefined && { code }), ...kept } as Exception;
  }

  /** A text that has no name: of a status, an error, a log line. */
  text(text: string): string {
    return this.#keys === undefined ? text : redactText(text, this.#keys, this.#keys.anywhere, []);
  }

  /** Undefined where it is to be left out. */
  #event(event: SpanEvent, span: string): SpanEvent | undefined {
    if (this.hidesEvent(event.name)) return undefined;
    const name = this.text(event.name);
    const attributes = event.attributes && this.attributes(event.attributes, span);
    if (name === event.name && attributes === event.attributes) return event;
    return { ...event, name, ...(attributes !== undefined && { attributes }) };
  }

  #attribute(name: string, all: Attributes, span: string): AttributeValue | undefined {
    const value = all[name];
    if (value === undefined) return undefined;
    const traits = this.#traitsOf(name);
    const isFigure = typeof value === "number" || typeof value === "boolean";
    const isContent = isFigure ? traits.isContentAsFigure : traits.isContent;
    if (!this.#capturesContent) {
      if (isContent || traits.errorText === "message") return undefined;
      if (traits.errorText === "stack") {
        const message = all["exception.message"] ?? all["error.message"];
        const type = all["exception.type"] ?? all["error.type"];
        return stackWithoutMessage(String(value), type, message);
      }
    }
    if (traits.isHidden) return REDACTED;
    if (traits.isAgates) return value;
    const isAgates = AGATES_CONTENT.has(name);
    const allowed = isContent && !isAgates ? this.#allowed(name, value, span) : value;
    if (this.#keys === undefined) return allowed;
    const { fromTop, anywhere } = this.#keys;
    const [hides, at] = isAgates ? [fromTop, []] : [anywhere, traits.path];
    return this.#value(allowed, this.#keys, hides, at) as AttributeValue;
  }

  #traitsOf(name: string): NameTraits {
    const known = this.#traits.get(name);
    if (known !== undefined) return known;
    const traits: NameTraits = {
      isContent: isContentAttribute(name, ""),
      isContentAsFigure: isContentAttribute(name, 0),
      isHidden: this.#hidesName(name),
      isAgates: name.startsWith("ag.") && AGATES.has(name) && !AGATES_CONTENT.has(name),
      errorText: isErrorMessage(name) ? "message" : isErrorStack(name) ? "stack" : undefined,
      path: name.split("."),
    };
    if (this.#traits.size >= MOST_NAMES) this.#traits.clear();
    this.#traits.set(name, traits);
    return traits;
  }

  #hidesName(name: string): boolean {
    if (this.#keys === undefined) return false;
    if (AGATES.has(name) || STRUCTURE.test(name)) return this.#named.has(name);
    return this.#keys.hidesAttribute(name);
  }

  /** What the settings' functions allow of another library's content. */
  #allowed(name: string, value: AttributeValue, span: string): AttributeValue | undefined {
    if (!this.#redaction.hasFunctions) return value;
    const field: ContentField = OF_OUTPUTS.test(name) ? "outputs" : "inputs";
    const read = typeof value === "string" ? parsed(value) : value;
    const allowed = this.#redaction.apply(read, { field, span });
    if (allowed === read) return value;
    return typeof allowed === "string" ? allowed : JSON.stringify(allowed);
  }

  #value(value: unknown, keys: HiddenKeys, hides: PathFilter, path: readonly string[]): unknown {
    if (typeof value === "string") return redactText(value, keys, hides, path);
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
    const member = (key: string, item: unknown): unknown => {
      const at = [...path, key];
      return hides(at) ? REDACTED : this.#value(item, keys, hides, at);
    };
    if (Array.isArray(value)) {
      return sameOr(
        value,
        value.map((item, index) => member(String(index), item)),
      );
    }
    const shown: Record<string, unknown> = Object.create(null);
    let isSame = true;
    for (const [key, item] of Object.entries(value)) {
      shown[key] = member(key, item);
      isSame &&= Object.is(shown[key], item);
    }
    return isSame ? value : shown;
  }
}

/** What is shown of a list; the list itself where that is the same. */
function sameOr<Item>(items: Item[], shown: Item[]): Item[] {
  const isSame =
    shown.length === items.length && shown.every((item, at) => Object.is(item, items[at]));
  return isSame ? items : shown;
}

/** Some of the attributes. Without a prototype: `__proto__` is a name like any other. */
function picked(attributes: Attributes, names: readonly string[]): Attributes {
  const some: Attributes = Object.create(null);
  for (const name of names) some[name] = attributes[name];
  return some;
}

/** What the span's failure was a case of. */
function errorTypeOf({ attributes, events = [] }: AnyReadableSpan): string | undefined {
  const thrown = events.findLast(({ name }) => name === "exception")?.attributes;
  const type = thrown?.["exception.type"] ?? attributes["error.type"];
  return typeof type === "string" ? type : undefined;
}

/** JSON as what it says, anything else as it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Attributes with the words of an error, which may quote what a call was given. */
const MESSAGES: ReadonlySet<string> = new Set(["exception.message", "error.message"]);
const STACKS: ReadonlySet<string> = new Set(["exception.stacktrace", "error.stack"]);

// V8's lines, then those of JavaScriptCore and SpiderMonkey.
const FRAME =
  /^\s+at (?:.*[\s(])?[^\s()]+:\d+:\d+\)?$|^\s+at .*\((?:<anonymous>|native|index \d+)\)$|^\S*@\S+:\d+:\d+$/;

function isErrorMessage(attribute: string): boolean {
  return MESSAGES.has(attribute);
}

function isErrorStack(attribute: string): boolean {
  return STACKS.has(attribute);
}

/** A stack without the message that is in front of it: the error's type, and where it came from. */
function stackWithoutMessage(stack: string, type: unknown, message: unknown): string {
  // First as a whole: a message may have lines that look like a stack's.
  const rest =
    typeof message === "string" && message !== "" ? stack.replaceAll(message, "") : stack;
  const frames = rest.split("\n").filter((line) => FRAME.test(line));
  return [...(typeof type === "string" ? [type] : []), ...frames].join("\n");
}
