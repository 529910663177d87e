import type { EventContent } from "@agate/spans";

/** The name of rows with logged content. No score can have it: names of scores are slugs. */
export const LOGGED_CONTENT = ":content";

/** Of a row, in characters. */
export const MOST_LOGGED_CHARACTERS = 128 * 1024;

/** Of a span, in bytes: reading its record has all of it in memory. */
export const MOST_CONTENT_BYTES = 4 * 1024 * 1024;

/** Content that is in memory at a time while spans are read or indexed, in bytes; that of one span may be longer. */
const CONTENT_AT_ONCE = 1024 * 1024;

/**
 * Items in groups whose content has room in memory together; each has at least one.
 *
 * @param bytesOf How long the content of an item is.
 */
export function groupedByContent<Item>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
  most = CONTENT_AT_ONCE,
): Item[][] {
  const groups: Item[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const own = bytesOf(item);
    bytes += own;
    if (bytes > most) {
      groups.push([]);
      bytes = own;
    }
    groups.at(-1)?.push(item);
  }
  return groups;
}

const BEGINNING = '{"logged":';

/** Content that came in log records of one span. Each part is JSON. */
export type LoggedContent = Pick<EventContent, "inputs" | "outputs" | "asked" | "answered">;

/** The parts as texts: parsing them would round their numbers. */
export function loggedText({ inputs, outputs, asked, answered }: LoggedContent): string {
  return `${BEGINNING}${JSON.stringify({ inputs, outputs, asked, answered })}}`;
}

/** Whether the record of a row is logged content, and no score. */
export function isLoggedContent(record: string): boolean {
  return record.startsWith(BEGINNING);
}

/** The sides of a call that rows of one span make together, as JSON. */
export function loggedSides(records: readonly string[]): {
  readonly inputs: string | null;
  readonly outputs: string | null;
} {
  const parts = records.map((record) => (JSON.parse(record) as { logged: LoggedContent }).logged);
  const whole = (side: "inputs" | "outputs") => parts.find((part) => part[side] !== null)?.[side];
  return {
    inputs: whole("inputs") ?? messagesOf(parts.flatMap(({ asked }) => asked)),
    outputs: whole("outputs") ?? messagesOf(parts.flatMap(({ answered }) => answered)),
  };
}

function messagesOf(messages: readonly string[]): string | null {
  return messages.length === 0 ? null : `{"messages":[${messages.join(",")}]}`;
}
