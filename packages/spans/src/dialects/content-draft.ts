import type { Attributes } from "../otlp-span.ts";
import { embedded, quoted, type TextForm } from "./json-text.ts";
import { type IndexedAttribute, unflattened } from "./unflatten.ts";

export type ContentSide = "inputs" | "internals" | "outputs";

/** A member of an object that content is put together from, and the attribute it comes from. */
export interface NamedPart {
  readonly member: string;
  readonly name: string;
  readonly form: TextForm;
}
/** The same, from a group of indexed attributes. */
export interface GroupPart {
  readonly member: string;
  readonly group: string;
}
export type ContentPart = NamedPart | GroupPart;

/**
 * A span's content while the dialects fill it, as JSON. The first to fill a side wins; what the
 * others sent for it stays among the attributes.
 */
export class ContentDraft {
  inputs: string | null = null;
  internals: string | null = null;
  outputs: string | null = null;
  /** Whether messages to or from a model were among it. */
  hasMessages = false;
  /** The span's own configuration. */
  config: string | null = null;
  /** Names of attributes whose values the record shows outside `metadata.attributes`. */
  readonly shown = new Set<string>();
  /** The same of groups of indexed attributes. */
  readonly shownGroups = new Set<string>();
  /** The span's indexed attributes by their group. */
  readonly indexed = new Map<string, IndexedAttribute[]>();

  reset(): void {
    this.inputs = this.internals = this.outputs = this.config = null;
    this.hasMessages = false;
    if (this.shown.size > 0) this.shown.clear();
    if (this.shownGroups.size > 0) this.shownGroups.clear();
    if (this.indexed.size > 0) this.indexed.clear();
  }

  /** Fills a side with one attribute's value as it is. */
  take(side: ContentSide, attributes: Attributes, name: string, form: TextForm): void {
    if (this[side] !== null) return;
    const value = attributes.get(name);
    if (value === undefined) return;
    this[side] = embedded(value, form);
    this.shown.add(name);
  }

  /** Fills a side with an object of the parts that are there, if any is. */
  compose(side: ContentSide, attributes: Attributes, parts: readonly ContentPart[]): void {
    if (this[side] !== null) return;
    let text = "";
    for (const part of parts) {
      const member = this.#partText(attributes, part);
      if (member === null) continue;
      text += `${text === "" ? "{" : ","}${quoted(part.member)}:${member}`;
      if (part.member.endsWith("messages")) this.hasMessages = true;
    }
    if (text !== "") this[side] = `${text}}`;
  }

  /** Fills a side with the only part that is there as it is, or with an object of several. */
  takeOrCompose(side: ContentSide, attributes: Attributes, parts: readonly NamedPart[]): void {
    const [first, second] = parts.filter((part) => attributes.has(part.name));
    if (first === undefined) return;
    if (second === undefined) this.take(side, attributes, first.name, first.form);
    else this.compose(side, attributes, parts);
  }

  #partText(attributes: Attributes, part: ContentPart): string | null {
    if ("group" in part) {
      const members = this.indexed.get(part.group);
      if (members === undefined || this.shownGroups.has(part.group)) return null;
      const list = unflattened(members);
      if (list !== null) this.shownGroups.add(part.group);
      return list;
    }
    const value = attributes.get(part.name);
    if (value === undefined || this.shown.has(part.name)) return null;
    this.shown.add(part.name);
    return embedded(value, part.form);
  }
}
