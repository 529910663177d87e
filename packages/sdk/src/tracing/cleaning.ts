import type { Attributes, AttributeValue, Exception, Link, SpanStatus } from "@opentelemetry/api";
import type { SpanRedaction } from "./redaction/span-redaction.ts";
import type { Secrets } from "./secrets.ts";
import { redactValue } from "./secrets.ts";

/** What is done to the parts of a span before another set-up gets them. */
export interface Cleaning {
  /** Undefined where it is to be left out. */
  attribute(name: string, value: AttributeValue): AttributeValue | undefined;
  attributes(attributes: Attributes): Attributes;
  hidesEvent(name: string): boolean;
  link(this: void, link: Link): Link;
  status(status: SpanStatus): SpanStatus;
  exception(exception: Exception): Exception;
  text(text: string): string;
}

export const UNCHANGED: Cleaning = {
  attribute: (_name, value) => value,
  attributes: (attributes) => attributes,
  hidesEvent: () => false,
  link: (link) => link,
  status: (status) => status,
  exception: (exception) => exception,
  text: (text) => text,
};

/**
 * Leaves out what the settings hide, and replaces secrets.
 *
 * @param redacted Is called when the settings hide something.
 */
export function cleaningFor(
  owner: { readonly secrets: Secrets; readonly redaction: SpanRedaction | undefined },
  span: string,
  redacted: () => void,
): Cleaning {
  const { secrets, redaction } = owner;
  if (redaction === undefined) {
    return secrets.isEmpty ? UNCHANGED : withoutSecrets(UNCHANGED, secrets);
  }
  const noted = <Part>(part: Part, kept: Part): Part => {
    if (!Object.is(kept, part)) redacted();
    return kept;
  };
  const hiding: Cleaning = {
    attribute: (name, value) => noted(value, redaction.attribute(name, value, span)),
    attributes: (attributes) => noted(attributes, redaction.attributes(attributes, span)),
    hidesEvent: (name) => noted(false, redaction.hidesEvent(name)),
    link: (link) => noted(link, redaction.link(link, span)),
    status: (status) => noted(status, redaction.status(status)),
    exception: (exception) => noted(exception, redaction.exception(exception)),
    text: (text) => noted(text, redaction.text(text)),
  };
  return secrets.isEmpty ? hiding : withoutSecrets(hiding, secrets);
}

function withoutSecrets(cleaning: Cleaning, secrets: Secrets): Cleaning {
  const clean = <T>(value: T): T => redactValue(value, secrets);
  return {
    attribute: (name, value) => clean(cleaning.attribute(name, value)),
    attributes: (attributes) => clean(cleaning.attributes(attributes)),
    hidesEvent: cleaning.hidesEvent,
    link: (link) => {
      const { attributes, ...rest } = cleaning.link(link);
      return attributes === undefined ? rest : { ...rest, attributes: clean(attributes) };
    },
    status: (status) => clean(cleaning.status(status)),
    exception: (exception) => clean(cleaning.exception(exception)),
    text: (text) => secrets.redact(cleaning.text(text)),
  };
}
