import type { ApiClient } from "../api-client/api-client.ts";
import { ExportFault } from "./export-fault.ts";
import { ImportTally } from "./import-tally.ts";
import type { ImportedScore, ImportedSpan, Product } from "./imported-row.ts";
import { readExport } from "./read-export.ts";
import { ImportSender } from "./send-import.ts";

/** Of a request. The platform's own limits are 16 MiB, and 500 scores of 8 MiB. */
const MOST_SPANS = 500;
const MOST_SCORES = 200;
const MOST_CHARACTERS = 2 * 1024 ** 2;

export interface ImportOptions {
  readonly api: ApiClient;
  readonly product: Product;
  readonly files: readonly string[];
  readonly signal: AbortSignal;
  /** Called after each request. */
  onProgress?(tally: ImportTally): void;
}

/** Why a file was not imported, or not to its end. */
export class ImportFailure extends Error {
  override readonly name = "ImportFailure";
}

/**
 * Sends what files have of a product to the platform, in requests of limited size. Ids are the same each
 * time, so that importing a file again changes nothing.
 *
 * @throws {ImportFailure} where a file cannot be read. What came before it is imported.
 */
export async function importExport(options: ImportOptions): Promise<ImportTally> {
  const tally = new ImportTally();
  const sender = new ImportSender(options.api, tally, options.signal);
  const progress = () => options.onProgress?.(tally);
  const spans = new Batch<ImportedSpan>(MOST_SPANS, (items) => sender.sendSpans(items), progress);
  const scores = new Map<ImportedScore["target"], Batch<ImportedScore>>();
  const scoresFor = (target: ImportedScore["target"]) => {
    const known = scores.get(target);
    if (known !== undefined) return known;
    const send = async (items: readonly ImportedScore[]) => {
      // Annotations are found by their span.
      await spans.flush();
      await sender.sendScores(items);
    };
    const batch = new Batch<ImportedScore>(MOST_SCORES, send, progress);
    scores.set(target, batch);
    return batch;
  };

  for (const file of options.files) {
    try {
      let row = 0;
      for await (const value of await rowsOf(file, options.product)) {
        row++;
        const imported = options.product.read(value);
        if (imported === undefined) {
          // Any row after it may be of a newer version; a file that begins with another is a wrong one.
          if (row === 1) throw new ExportFault(wrongRows(value, options.product));
          tally.skip(`not ${options.product.rows} of ${options.product.name}`, { file, row });
          continue;
        }
        for (const reason of imported.skipped) tally.skip(reason, { file, row });
        for (const span of imported.spans) await spans.add(span);
        for (const score of imported.scores) await scoresFor(score.target).add(score);
      }
      if (row === 0) throw new ExportFault("has no rows.");
    } catch (error) {
      if (!(error instanceof ExportFault)) throw error;
      await spans.flush();
      throw new ImportFailure(`${file} ${error.message}${soFar(tally)}`);
    }
  }
  await spans.flush();
  for (const batch of scores.values()) await batch.flush();
  return tally;
}

async function rowsOf(file: string, { csv, name }: Product) {
  const { form, rows } = await readExport(file);
  if (form === "csv" && csv !== "read") {
    throw new ExportFault(`is not JSON or JSONL of ${name}. ${csv.instead}`);
  }
  return rows;
}

const SHOWN_FIELDS = 8;

function wrongRows(row: object, { rows, name }: Product): string {
  const fields = Object.keys(row).slice(0, SHOWN_FIELDS).join(", ");
  return `has no ${rows} of ${name}. The fields of its first row: ${fields || "none"}.`;
}

function soFar({ spans, scores }: ImportTally): string {
  if (spans + scores === 0) return "";
  return ` Imported before it: ${spans} spans, ${scores} scores.`;
}

/** Items that are sent together. */
class Batch<Item extends object> {
  readonly #most: number;
  readonly #send: (items: readonly Item[]) => Promise<void>;
  readonly #onSent: () => void;
  #items: Item[] = [];
  #characters = 0;

  constructor(most: number, send: (items: readonly Item[]) => Promise<void>, onSent: () => void) {
    this.#most = most;
    this.#send = send;
    this.#onSent = onSent;
  }

  async add(item: Item): Promise<void> {
    const characters = JSON.stringify(item).length;
    const isFull = this.#items.length === this.#most;
    if (isFull || this.#characters + characters > MOST_CHARACTERS) await this.flush();
    this.#items.push(item);
    this.#characters += characters;
  }

  async flush(): Promise<void> {
    const items = this.#items;
    if (items.length === 0) return;
    this.#items = [];
    this.#characters = 0;
    await this.#send(items);
    this.#onSent();
  }
}
