import type { AttributeValue } from "@agate/spans";

/**
 * A resource while its request is read. The spans that came before its attributes or its schema
 * URL hold the same object, so it is filled in place.
 */
export interface ResourceInProgress {
  readonly attributes: Map<string, AttributeValue>;
  schemaUrl: string;
  droppedAttributesCount: number;
}

/** A scope while its request is read, likewise. */
export interface ScopeInProgress extends ResourceInProgress {
  name: string;
  version: string;
}

export function startResource(): ResourceInProgress {
  return { attributes: new Map(), schemaUrl: "", droppedAttributesCount: 0 };
}

export function startScope(): ScopeInProgress {
  return {
    name: "",
    version: "",
    attributes: new Map(),
    schemaUrl: "",
    droppedAttributesCount: 0,
  };
}
