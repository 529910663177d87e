import type { RouteParams, RouteSchema, SpanRecord } from "@agate/protocol";
import { withDefaults } from "../../config-form/config-values.ts";
import { draftOf } from "../../input-form/input-draft.ts";
import { changedFields } from "./changed-fields.ts";
import { knownFields } from "./known-fields.ts";
import { ownField } from "./own-field.ts";
import type { Column, RevisionName, Workspace } from "./workspace.ts";

/** The revision that a recorded call ran with; null where it named none. */
export function revisionOf({ variant }: SpanRecord): RevisionName | null {
  const { variant_name: name, revision } = variant;
  return name === null || revision === null ? null : { variant: name, revision };
}

/**
 * A recorded call, to be run again: its configuration as a draft of the revision that it ran with,
 * and its inputs as a case.
 *
 * @param base That revision and its parameters; null where it is not there (any more).
 */
export function workspaceOfCall(
  span: SpanRecord,
  route: RouteSchema,
  base: { readonly name: RevisionName; readonly params: RouteParams } | null,
): Workspace {
  const before = withDefaults(route, knownFields(route, ownField(base?.params ?? {}, route.route)));
  const recorded = withDefaults(route, knownFields(route, span.config ?? {}));
  const changes = span.config === null ? {} : changedFields(before, recorded);
  const name = base?.name ?? null;
  const column: Column = {
    id: 1,
    source: name === null ? { kind: "defaults" } : { kind: "revision", ...name },
    draft: Object.keys(changes).length === 0 ? null : { base: name, changes },
    origin: { traceId: span.trace_id, spanId: span.id, ranWith: ranWith(span) },
  };
  const draft = draftOf(route.inputs, span.content.inputs ?? {});
  return { columns: [column], cases: [{ id: 1, name: "Recorded call", draft }] };
}

/** `default@3 in production` */
function ranWith(span: SpanRecord): string {
  const name = revisionOf(span);
  const parts = [
    name === null ? span.variant.variant_name : `${name.variant}@${name.revision}`,
    span.environment === null ? null : `in ${span.environment}`,
  ];
  return parts.filter((part) => part !== null).join(" ");
}
