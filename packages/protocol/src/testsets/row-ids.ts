import { isRecord } from "../json-value.ts";
import { sha256Hex } from "./sha256.ts";

/** Hex digits of an id that is made from a row's inputs: 64 bits. */
const ID_DIGITS = 16;

/**
 * JSON that is the same for equal values: keys in the order of their UTF-16 units, no space. Fields
 * that are undefined are left out.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const fields = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${fields.join(",")}}`;
}

/** The id of a row that is given none: the beginning of the SHA-256 of its inputs as canonical JSON. */
export function inputsId(inputs: unknown): string {
  return sha256Hex(canonicalJson(inputs)).slice(0, ID_DIGITS);
}

/**
 * The ids of rows, in their order: those that are given, which must differ from each other, and for
 * the others that of their inputs. The second row with equal inputs gets `-2`, the third `-3`.
 */
export function assignRowIds(
  rows: readonly { readonly id?: string | undefined; readonly inputs: unknown }[],
): string[] {
  const taken = new Set(rows.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const counts = new Map<string, number>();
  return rows.map(({ id: given, inputs }) => {
    if (given !== undefined) return given;
    const base = inputsId(inputs);
    for (;;) {
      const count = (counts.get(base) ?? 0) + 1;
      counts.set(base, count);
      const id = count === 1 ? base : `${base}-${count}`;
      if (taken.has(id)) continue;
      taken.add(id);
      return id;
    }
  });
}
