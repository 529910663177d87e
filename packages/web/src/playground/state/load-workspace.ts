import type { RouteSchema } from "@agate/protocol";
import { emptyDraft } from "../../input-form/input-draft.ts";
import { firstSource, type KnownConfigs, pinned } from "./column-base.ts";
import { columnOf, type TestCase, type Workspace } from "./workspace.ts";
import { type LinkedWorkspace, readLink } from "./workspace-link.ts";
import { type RoutePlace, readKept } from "./workspace-storage.ts";

/** A workspace as it is opened. */
export interface LoadedWorkspace {
  readonly workspace: Workspace;
  /** What the reader should know about it. */
  readonly notice: string | null;
}

/** The parts of an address that say what is set up. */
export interface WorkspaceAddress {
  readonly configs: string | undefined;
  readonly fragment: string;
}

const UNREADABLE =
  "The edits and inputs of this link could not be read: it was cut off, or made by another version of Agate.";

/** What the address says; what it leaves open is as it was left the last time, or new. */
export async function loadWorkspace(
  { configs, fragment }: WorkspaceAddress,
  place: RoutePlace,
  route: RouteSchema,
  known: KnownConfigs,
): Promise<LoadedWorkspace> {
  const linked = await readLink(configs, fragment);
  const kept = (await readKept(place))?.workspace;
  const says = linked.columns !== null || linked.cases !== null;
  const columns = linked.columns ??
    (says ? undefined : kept?.columns) ?? [columnOf(1, firstSource(known))];
  return {
    workspace: {
      columns: columns.map((column) => ({ ...column, source: pinned(column.source, known) })),
      cases: linked.cases ?? kept?.cases ?? [firstCase(route)],
    },
    notice: noticeOf(linked),
  };
}

/** An empty case, to begin with. */
function firstCase(route: RouteSchema): TestCase {
  return { id: 1, name: "Case 1", draft: emptyDraft(route.inputs) };
}

function noticeOf({ isUnreadable }: LinkedWorkspace): string | null {
  return isUnreadable ? UNREADABLE : null;
}
