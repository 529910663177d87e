import type { RouteParams, RouteSchema, SpanRecord } from "@agate/protocol";
import { knownFields, ownField, withDefaults } from "../../config-form/config-values.ts";
import { draftOf } from "../../input-form/input-draft.ts";
import { editedFrom } from "../../spans/edited-from.ts";
import { changedFields } from "./changed-fields.ts";
import { parseSource } from "./config-source.ts";
import type { Column, RevisionName, Workspace } from "./workspace.ts";

/** The revision that a recorded call ran with, or was edited from; null where it named none. */
export function revisionOf({ variant, metadata }: SpanRecord): RevisionName | null {
  const { variant_name: name, revision } = variant;
  if (name !== null && revision !== null) return { variant: name, revision };
  const source = parseSource(editedFrom({ metadata }) ?? "");
  return source?.kind === "revision"
    ? { variant: source.variant, revision: source.revision }
    : null;
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

/** `default@3 in production`, `edited from default@3` */
function ranWith(span: SpanRecord): string {
  const { variant_name, revision } = span.variant;
  const edited = editedFrom(span);
  const parts = [
    edited === null ? null : `edited from ${edited}`,
    variant_name === null || revision === null ? variant_name : `${variant_name}@${revision}`,
    span.environment === null ? null : `in ${span.environment}`,
  ];
  return parts.filter((part) => part !== null).join(" ");
}
