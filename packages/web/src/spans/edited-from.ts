import { AGATE_ATTRIBUTES, type ListedSpan } from "@agate/protocol";

/** `default@3`: the revision whose values a playground call has changed; null where none is named. */
export function editedFrom({ metadata }: Pick<ListedSpan, "metadata">): string | null {
  const from = metadata.attributes[AGATE_ATTRIBUTES.editedFrom];
  return typeof from === "string" && from !== "" ? from : null;
}
