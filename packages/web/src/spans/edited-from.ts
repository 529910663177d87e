import { AGATE_ATTRIBUTES, type ListedSpan } from "@agate/protocol";

/** The revision whose values a playground call edited, such as `default@3`; null for other spans. */
export function editedFrom({ metadata }: Pick<ListedSpan, "metadata">): string | null {
  const from = metadata.attributes[AGATE_ATTRIBUTES.editedFrom];
  return typeof from === "string" && from !== "" ? from : null;
}
