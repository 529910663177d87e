import type { RouteParams, RouteSchema, SpanRecord } from "@agate/protocol";
import type { QueryClient } from "@tanstack/react-query";
import { ApiError } from "../../api/api-error.ts";
import { revisionQuery } from "../../api/applications.ts";
import type { PlatformClient } from "../../api/platform-client.ts";
import { spanQuery } from "../../api/trace.ts";
import {
  changedFields,
  knownFields,
  ownField,
  withDefaults,
} from "../../config-form/config-values.ts";
import { draftOf } from "../../input-form/input-draft.ts";
import { editedFrom, shownName } from "../../spans/shown-name.ts";
import { parseSource } from "./config-source.ts";
import type { LoadedWorkspace } from "./load-workspace.ts";
import type { Column, RevisionName, Workspace } from "./workspace.ts";

/** The revision that a recorded call used or was edited from; null if it names none. */
export function revisionOf({ variant, metadata }: SpanRecord): RevisionName | null {
  const { variant_name: name, revision } = variant;
  if (name !== null && revision !== null) return { variant: name, revision };
  const source = parseSource(editedFrom({ metadata }) ?? "");
  return source?.kind === "revision"
    ? { variant: source.variant, revision: source.revision }
    : null;
}

/**
 * A workspace that repeats a recorded call: its configuration as a draft of the revision that it used,
 * and its inputs as a test case.
 *
 * @param base That revision and its parameters; null if it does not exist.
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

/**
 * Loads a recorded call into a workspace.
 *
 * @throws ApiError if the span does not exist.
 */
export async function loadRecordedCall(
  client: PlatformClient,
  queries: QueryClient,
  app: string,
  route: RouteSchema,
  spanId: string,
): Promise<LoadedWorkspace> {
  const span = await queries.fetchQuery(spanQuery(client, spanId));
  const name = revisionOf(span);
  const base = name && (await paramsOf(client, queries, app, name));
  const unknown = Object.keys(span.config ?? {}).filter(
    (field) => !Object.hasOwn(route.config, field),
  );
  const notices = [
    name !== null &&
      base === null &&
      `${shownName(name.variant)}@${name.revision} no longer exists.`,
    unknown.length > 0 && `Ignored, because ${route.route} no longer has it: ${unknown.join(", ")}`,
  ];
  return {
    workspace: workspaceOfCall(span, route, base),
    notice: notices.filter((notice) => notice !== false).join(" ") || null,
  };
}

async function paramsOf(
  client: PlatformClient,
  queries: QueryClient,
  app: string,
  name: RevisionName,
) {
  try {
    const query = revisionQuery(client, app, name.variant, name.revision);
    return { name, params: (await queries.fetchQuery(query)).params };
  } catch (error) {
    // Deleted since, or from a configuration file and never in the registry.
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
