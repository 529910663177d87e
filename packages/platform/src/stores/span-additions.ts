import type { ListContent } from "@agate/protocol";
import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import { valueEnd } from "./json-scan.ts";
import { isLoggedContent, loggedSides } from "./logged-content.ts";
import { previewRecord } from "./record-preview.ts";

/** What is stored beside the record of a span and put into it when it is read. */
export class SpanAdditions {
  /** What follows the total: the scores, or nothing. */
  readonly afterTotal: string;
  readonly #logged: readonly string[];

  /** @param records Of rows of the span, in the order in which they are shown. */
  constructor(records: readonly string[]) {
    const logged = records.filter(isLoggedContent);
    const scores = logged.length === 0 ? records : records.filter((row) => !logged.includes(row));
    this.afterTotal = scoresText(scores);
    this.#logged = logged;
  }

  /** How much longer they make the record, in UTF-8; more than that where content was logged. */
  get bytes(): number {
    const { afterTotal } = this;
    return this.#logged.reduce(
      (sum, text) => sum + Buffer.byteLength(text),
      Buffer.byteLength(afterTotal),
    );
  }

  get hasContent(): boolean {
    return this.#logged.length > 0;
  }

  /** An open record with the logged content, where the span itself had none. */
  fill(open: string): string {
    return this.hasContent ? fillContent(open, loggedSides(this.#logged)) : open;
  }

  /** The record in a list. */
  listed(open: string, total: string, content: ListContent = "full"): string {
    const whole = `${this.fill(open)}${total}${this.afterTotal}${AFTER_LISTED_TOTAL}`;
    return content === "full" ? whole : previewRecord(whole);
  }
}

export const NO_ADDITIONS = new SpanAdditions([]);

/** The scores of a record, to be put behind its total. */
export function scoresText(records: readonly string[]): string {
  return records.length === 0 ? "" : `,"scores":[${records.join(",")}]`;
}

const CONTENT = '"content":{"inputs":';

/**
 * Fills the sides of a record's content that are null. By their places in the text: quotes inside of
 * texts are escaped, and no member before the content has the same name.
 */
function fillContent(
  open: string,
  { inputs, outputs }: { readonly inputs: string | null; readonly outputs: string | null },
): string {
  const start = open.indexOf(CONTENT) + CONTENT.length;
  const end = valueEnd(open, start);
  const internals = end + ',"internals":'.length;
  const internalsEnd = valueEnd(open, internals);
  const last = internalsEnd + ',"outputs":'.length;
  const lastEnd = valueEnd(open, last);
  const filled = (from: number, to: number, side: string | null) => {
    const given = open.slice(from, to);
    return given === "null" && side !== null ? side : given;
  };
  return `${open.slice(0, start)}${filled(start, end, inputs)}${open.slice(end, last)}${filled(last, lastEnd, outputs)}${open.slice(lastEnd)}`;
}
