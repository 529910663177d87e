import type { ErrorDetail } from "@agate/protocol";
import { messageOf } from "../tracing/describe-thrown.ts";
import { REDACTED } from "../tracing/redaction.ts";

/** What was checked, and the JSON that is recorded of it; null where nothing is. */
export interface CheckedValue {
  readonly value: unknown;
  readonly recorded: string | null;
}

type Leaf = string | number | boolean;

/** Values times messages: beyond it, messages say nothing about values. */
const MOST_COMPARISONS = 100_000;
const NOT_SHOWN =
  "The value is not valid. What is wrong with it is not shown: it has redacted parts.";
/** Schemas shorten long texts that they quote: this much of one is enough to be found by. */
const QUOTED = 8;
/** Shorter texts are replaced only in quotes: they are parts of ordinary words. */
const SHORTEST_BARE = 3;

/**
 * What is wrong with a value, without the parts of it that are not recorded: a schema's message may
 * quote them.
 */
export function hideValues(
  detail: readonly ErrorDetail[],
  checked: readonly CheckedValue[],
): readonly ErrorDetail[] {
  const found = checked.map(hiddenLeaves);
  if (found.every((leaves) => leaves?.length === 0)) return detail;
  const hidden = [...new Set(found.flatMap((leaves) => leaves ?? []))];
  if (found.includes(null) || hidden.length * detail.length > MOST_COMPARISONS) {
    return detail.map((each) => ({ ...each, msg: NOT_SHOWN }));
  }
  // Longest first: one may be a part of another.
  hidden.sort((a, b) => String(b).length - String(a).length);
  const texts = [...new Set(hidden.flatMap(textsOf))];
  // Whole ones first: the beginning of one may be that of another.
  return detail.map((each) => {
    const found = texts.filter((text) => textOf(each.msg).includes(text.slice(0, QUOTED)));
    const msg = found.reduce(withoutBeginning, found.reduce(withoutWhole, textOf(each.msg)));
    return { ...each, msg };
  });
}

/** The texts, numbers and booleans of a value that its record does not have; null if it has no JSON. */
function hiddenLeaves({ value, recorded }: CheckedValue): readonly Leaf[] | null {
  try {
    const given = JSON.stringify(value);
    if (given === undefined || given === recorded) return [];
    const all = leavesOf(JSON.parse(given));
    if (recorded === null) return [...all];
    const shown = leavesOf(JSON.parse(recorded));
    return [...all].filter((leaf) => !shown.has(leaf));
  } catch {
    return null;
  }
}

// Not recursive: the depth is the client's to choose.
function leavesOf(value: unknown): Set<Leaf> {
  const leaves = new Set<Leaf>();
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "object") for (const item of Object.values(next ?? {})) open.push(item);
    else if (next !== "") leaves.add(next as Leaf);
  }
  return leaves;
}

/** As it is, and as JSON writes it. */
function textsOf(leaf: Leaf): readonly string[] {
  return typeof leaf === "string" ? [leaf, JSON.stringify(leaf).slice(1, -1)] : [String(leaf)];
}

/** Without a text in quotes, or one that stands alone. */
function withoutWhole(message: string, text: string): string {
  const escaped = text.replace(/[^\w\s]/g, "\\$&");
  const quoted = `(["'\x60])${escaped}\\1`;
  const isWord = text.length >= SHORTEST_BARE || /^[\d.-]+$/.test(text);
  const bare = isWord ? `|(?<![\\w.])${escaped}(?!\\w)` : "";
  return message.replace(new RegExp(quoted + bare, "g"), REDACTED);
}

/** Without as much of a text's beginning as is there. */
function withoutBeginning(message: string, text: string): string {
  if (text.length <= QUOTED) return message;
  const start = text.slice(0, QUOTED);
  let shown = message;
  for (let at = shown.indexOf(start); at >= 0; at = shown.indexOf(start, at + REDACTED.length)) {
    let length = QUOTED;
    while (length < text.length && shown[at + length] === text[length]) length += 1;
    shown = shown.slice(0, at) + REDACTED + shown.slice(at + length);
  }
  return shown;
}

function textOf(msg: unknown): string {
  return typeof msg === "string" ? msg : messageOf(msg);
}
