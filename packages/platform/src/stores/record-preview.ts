import type { TruncatedField } from "@agate/protocol";
import { AGATE_ATTRIBUTES } from "@agate/protocol";
import { PREVIEW_CHARACTERS, previewText } from "@agate/protocol/preview";
import { jsonElements, jsonMembers } from "./json-scan.ts";

/** An object in a preview has its first members, up to this many characters. */
const MEMBER_CHARACTERS = 1_000;

/** Of a text in JSON, more than a preview reads: an escape may have six characters. */
const TEXT_CHARACTERS = 16 * 1024;

/** Parsing a longer value may take more than 20 ms. */
const PARSED_CHARACTERS = 1024 * 1024;

/** Attributes that lists show: they stay, however many others there are. */
const KEPT_MEMBERS: ReadonlySet<string> = new Set(
  Object.values(AGATE_ATTRIBUTES).map((name) => JSON.stringify(name)),
);

/** The text that stands for a JSON value in a preview: the same one where the value is short. */
type Shorten = (json: string) => string;

/** What becomes of the fields of a record; those that are not named stay as they are. */
const SHORTEN: Readonly<Record<TruncatedField, Shorten>> = {
  "content.inputs": shortValue,
  "content.internals": shortValue,
  "content.outputs": shortValue,
  config: shortMembers,
  "metadata.status_message": shortValue,
  "metadata.events": emptyAs("[]"),
  "metadata.links": emptyAs("[]"),
  "metadata.attributes": shortMembers,
  "metadata.resource": shortMembers,
  "metadata.scope": emptyAs("null"),
  "metadata.otel": emptyAs("{}"),
  "metadata.scores": shortScores,
};

const FIELDS: ReadonlyMap<string, Shorten> = new Map(Object.entries(SHORTEN));

const OBJECTS: ReadonlySet<string> = new Set(["content", "metadata"]);

/**
 * A listed record with previews instead of its long values, and `truncated` with their sizes. It has the
 * same shape: a value of any type becomes a text, a list or an object is emptied or has fewer members.
 *
 * @param listed JSON of a record without `children`.
 */
export function previewRecord(listed: string): string {
  const truncated: [field: string, bytes: number][] = [];
  const shorten = (name: string, json: string): string => {
    const short = FIELDS.get(name)?.(json) ?? json;
    if (short !== json) truncated.push([name, Buffer.byteLength(json)]);
    return short;
  };
  const record = rewrite(listed, (name, json) =>
    OBJECTS.has(name)
      ? rewrite(json, (member, value) => shorten(`${name}.${member}`, value))
      : shorten(name, json),
  );
  return truncated.length === 0
    ? listed
    : `${record.slice(0, -1)},"truncated":${JSON.stringify(Object.fromEntries(truncated))}}`;
}

/** An object with other values. Names that need escapes are none of a record. */
function rewrite(json: string, value: (name: string, json: string) => string): string {
  const members: string[] = [];
  for (const { key, start, end } of jsonMembers(json, 0)) {
    members.push(`${key}:${value(key.slice(1, -1), json.slice(start, end))}`);
  }
  return `{${members.join(",")}}`;
}

/** A value of any type, as a text where it is long. */
function shortValue(json: string): string {
  if (json.length <= PREVIEW_CHARACTERS) return json;
  const value = json.startsWith('"') ? textBeginning(json) : parsed(json);
  if (typeof value === "string" && value.length <= PREVIEW_CHARACTERS) return json;
  return JSON.stringify(previewText(value));
}

/** The beginning of a text in JSON, which is all of it where it is short. */
function textBeginning(json: string): unknown {
  if (json.length <= TEXT_CHARACTERS) return parsed(json);
  let end = 1;
  while (end < TEXT_CHARACTERS) {
    const isEscape = json[end] === "\\";
    end += isEscape ? (json[end + 1] === "u" ? 6 : 2) : 1;
  }
  return parsed(`${json.slice(0, end)}"`);
}

/**
 * A value, or its JSON where it is too long to be parsed for a line of it. So is one that is damaged: records of
 * early versions have no checksum.
 */
function parsed(json: string): unknown {
  if (json.length > PARSED_CHARACTERS) return json;
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** What has no preview: a list, or an object whose members have types of their own. */
function emptyAs(empty: string): Shorten {
  return (json) => (json.length <= PREVIEW_CHARACTERS ? json : empty);
}

/** An object with members of any type, or null. */
function shortMembers(json: string): string {
  if (json.length <= PREVIEW_CHARACTERS) return json;
  const members: string[] = [];
  let isChanged = false;
  let room = MEMBER_CHARACTERS;
  for (const { key, start, end } of jsonMembers(json, 0)) {
    const isKept = KEPT_MEMBERS.has(key);
    const value = room > 0 || isKept ? json.slice(start, end) : "";
    const short = shortValue(value);
    room -= key.length + short.length;
    isChanged ||= short !== value || room < 0;
    if (room >= 0 || isKept) members.push(`${key}:${short}`);
  }
  return isChanged ? `{${members.join(",")}}` : json;
}

const SCORE_FIELDS: ReadonlyMap<string, Shorten> = new Map([
  ["explanation", shortValue],
  ["error", shortValue],
  ["metadata", shortMembers],
]);

/** All scores, since lists show the means of them, without what is long in them. */
function shortScores(json: string): string {
  const scores: string[] = [];
  let isChanged = false;
  for (const { start, end } of jsonElements(json, 0)) {
    const score = json.slice(start, end);
    let isShorter = false;
    const short = rewrite(score, (name, value) => {
      const shown = SCORE_FIELDS.get(name)?.(value) ?? value;
      isShorter ||= shown !== value;
      return shown;
    });
    scores.push(isShorter ? short : score);
    isChanged ||= isShorter;
  }
  return isChanged ? `[${scores.join(",")}]` : json;
}
