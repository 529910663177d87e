import type { ListedSpan, TruncatedField } from "@agate/protocol";
import { AGATE_ATTRIBUTES } from "@agate/protocol";
import { previewText } from "@agate/protocol/preview";

type JsonObject = Record<string, unknown>;

/** A listed record as a list of previews has it, by the rules, from its parsed values. */
export function expectedPreview<Record extends object>(whole: Record): Record {
  const record = structuredClone(whole) as unknown as ListedSpan & JsonObject;
  const truncated: Partial<{ [Field in TruncatedField]: number }> = {};
  const shorten = (field: TruncatedField, short: (value: never) => unknown) => {
    const [outer, inner] = field.split(".") as [string, string | undefined];
    const holder = inner === undefined ? record : (record[outer] as JsonObject);
    const name = inner ?? outer;
    if (holder[name] === undefined) return;
    const text = JSON.stringify(holder[name]);
    holder[name] = short(holder[name] as never);
    if (JSON.stringify(holder[name]) !== text) truncated[field] = Buffer.byteLength(text);
  };
  for (const side of ["inputs", "internals", "outputs"] as const) {
    shorten(`content.${side}`, shortValue);
  }
  shorten("config", shortMembers);
  shorten("metadata.status_message", shortValue);
  shorten("metadata.events", (value) => (isLong(value) ? [] : value));
  shorten("metadata.links", (value) => (isLong(value) ? [] : value));
  shorten("metadata.attributes", shortMembers);
  shorten("metadata.resource", shortMembers);
  shorten("metadata.scope", (value) => (isLong(value) ? null : value));
  shorten("metadata.otel", (value) => (isLong(value) ? {} : value));
  shorten("metadata.scores", (scores: readonly JsonObject[]) =>
    scores.map((score) => ({
      ...score,
      ...("explanation" in score && { explanation: shortValue(score.explanation) }),
      ...("error" in score && { error: shortValue(score.error) }),
      ...("metadata" in score && { metadata: shortMembers(score.metadata as JsonObject | null) }),
    })),
  );
  if (Object.keys(truncated).length > 0) record.truncated = truncated;
  return record as unknown as Record;
}

function isLong(value: unknown): boolean {
  return (typeof value === "string" ? value : JSON.stringify(value)).length > 300;
}

function shortValue(value: unknown): unknown {
  if (!isLong(value)) return value;
  const isTooLong = typeof value !== "string" && JSON.stringify(value).length > 1024 * 1024;
  return previewText(isTooLong ? JSON.stringify(value) : value);
}

function shortMembers(members: JsonObject | null): JsonObject | null {
  if (members === null || !isLong(members)) return members;
  let characters = 0;
  const kept = Object.entries(members).flatMap(([name, value]) => {
    const short = shortValue(value);
    characters += JSON.stringify(name).length + JSON.stringify(short).length;
    const isOwn = Object.values<string>(AGATE_ATTRIBUTES).includes(name);
    return characters <= 1_000 || isOwn ? [[name, short]] : [];
  });
  return Object.fromEntries(kept) as JsonObject;
}
