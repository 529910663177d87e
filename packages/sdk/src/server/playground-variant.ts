/**
 * Says which revision the configuration of a playground call is: `default@3`, or `default@3; edited` where
 * some of its values were changed.
 */
const HEADER = "agate-variant";

const VALUE = /^([a-z0-9]+(?:[-_.][a-z0-9]+)*)@([1-9]\d{0,8})(; ?edited)?$/;

/** The revision that a playground call ran with, or that its configuration was edited from. */
export interface PlaygroundVariant {
  readonly name: string;
  readonly revision: number;
  readonly isEdited: boolean;
}

/** Null where the caller names none. It is a label on spans: what cannot be read is ignored. */
export function playgroundVariant(
  header: (name: string) => string | null,
): PlaygroundVariant | null {
  const [, name, revision, edited] = VALUE.exec(header(HEADER) ?? "") ?? [];
  if (name === undefined) return null;
  return { name, revision: Number(revision), isEdited: edited !== undefined };
}
