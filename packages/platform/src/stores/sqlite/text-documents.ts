import type { DatabaseSync, StatementSync } from "node:sqlite";
import { KnownTexts } from "../search/known-texts.ts";
import { withNeighbours } from "./match-terms.ts";

/** Characters that are held until they are written. */
const MOST_HELD = 1024 * 1024;
const HAS_WORD = /\S/;

/**
 * The documents of the index of words. Each is of one trace and holds those texts that none before it has: spans
 * that follow each other repeat most of what they say. Every text of an indexed span is in a document of its trace;
 * a document may also hold texts of spans that were replaced since.
 *
 * Every method that writes must run inside a transaction.
 */
export class TextDocuments {
  readonly #insert: StatementSync;
  readonly #insertText: StatementSync;
  readonly #last: StatementSync;
  readonly #ofTrace: StatementSync;
  readonly #remove: StatementSync;
  readonly #removeWords: StatementSync;
  readonly #removeText: StatementSync;
  /** The last document that an earlier version wrote: see span-index-file.ts. */
  readonly #lastEarlier: number;
  readonly #known = new KnownTexts<number>();
  /** Texts that are yet to be written, by trace, as they are indexed. */
  readonly #held = new Map<number, string[]>();
  readonly #asIndexed: (text: string) => string;
  #characters = 0;

  /** @param asIndexed A text as it is indexed; tests use another function. */
  constructor(index: DatabaseSync, asIndexed = withNeighbours) {
    this.#asIndexed = asIndexed;
    this.#insert = index.prepare("INSERT INTO documents (trace_no) VALUES (?)");
    this.#insertText = index.prepare("INSERT INTO trace_words (rowid, text) VALUES (?, ?)");
    this.#last = index.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'documents'");
    this.#ofTrace = index.prepare(
      "SELECT document FROM documents WHERE trace_no = ? AND document <= ?",
    );
    this.#remove = index.prepare("DELETE FROM documents WHERE document = ?");
    this.#removeWords = index.prepare("DELETE FROM trace_words WHERE rowid = ?");
    this.#removeText = index.prepare("DELETE FROM trace_texts WHERE rowid = ?");
    const earlier = index.prepare("SELECT coalesce(max(id), 0) AS last FROM trace_texts_docsize");
    this.#lastEarlier = (earlier.get() as { last: number }).last;
  }

  /** The number of the last document; later ones have higher numbers. */
  get last(): number {
    return (this.#last.get() as { seq: number } | undefined)?.seq ?? 0;
  }

  /**
   * Adds the texts of a span; {@link write} must follow before the transaction ends.
   *
   * @throws Where a text cannot be indexed: nothing is added then. Not left to {@link write}, where it would fail for
   * all spans of the transaction, at every retry.
   */
  add(traceNo: number, texts: readonly string[]): void {
    const added = this.#newTexts(traceNo, texts);
    if (added.length === 0) return;
    const held = this.#held.get(traceNo);
    if (held === undefined) this.#held.set(traceNo, added);
    else for (const text of added) held.push(text);
    for (const text of added) this.#characters += text.length;
    if (this.#characters > MOST_HELD) this.write();
  }

  /** Writes a document for each trace that has new texts. */
  write(): void {
    for (const [traceNo, texts] of this.#held) {
      const { lastInsertRowid } = this.#insert.run(traceNo);
      this.#insertText.run(lastInsertRowid, texts.join("\n"));
    }
    this.#held.clear();
    this.#characters = 0;
  }

  /** As they are indexed. */
  #newTexts(traceNo: number, texts: readonly string[]): string[] {
    try {
      return texts
        .filter((text) => HAS_WORD.test(text) && this.#known.add(traceNo, text))
        .map(this.#asIndexed);
    } catch (error) {
      // Otherwise another span with one of these texts would pass for indexed.
      this.#known.forget(traceNo);
      throw error;
    }
  }

  /** To be called when a transaction has failed: what was added in it is in no document. */
  rolledBack(): void {
    this.#held.clear();
    this.#characters = 0;
    this.#known.forgetAll();
  }

  /** From here on, texts of the trace are written again. */
  beginAgain(traceNo: number): void {
    this.#known.forget(traceNo);
  }

  /** Removes the documents of a trace. */
  removeAll(traceNo: number): void {
    this.#known.forget(traceNo);
    this.removeUpTo(traceNo, Number.MAX_SAFE_INTEGER);
  }

  /** Removes the documents of a trace up to one that was the last when it was begun again. */
  removeUpTo(traceNo: number, last: number): void {
    const rows = this.#ofTrace.all(traceNo, last) as unknown as { document: number }[];
    for (const { document } of rows) {
      (document > this.#lastEarlier ? this.#removeWords : this.#removeText).run(document);
      this.#remove.run(document);
    }
  }
}
