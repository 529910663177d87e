import type { RouteSchema } from "@agate/protocol";
import { isSameJson } from "@agate/protocol";
import { emptyDraft } from "../../input-form/input-draft.ts";
import { firstSource, type KnownConfigs, pinned } from "./column-base.ts";
import { columnOf, type TestCase, type Workspace } from "./workspace.ts";
import { readLink } from "./workspace-link.ts";
import { asideWorkspace, type RoutePlace, readKept, setAside } from "./workspace-storage.ts";

export interface LoadedWorkspace {
  readonly workspace: Workspace;
  /** A message to show above it. */
  readonly notice: string | null;
}

/** The parts of the address that hold a workspace. */
export interface WorkspaceAddress {
  readonly configs: string | undefined;
  readonly fragment: string;
}

const UNREADABLE =
  "Can't read the edits and inputs of this link. It was cut off or created by another version of Agate.";

/** Reads the workspace from the address; missing parts come from the last visit or are new. */
export async function loadWorkspace(
  { configs, fragment }: WorkspaceAddress,
  place: RoutePlace,
  route: RouteSchema,
  known: KnownConfigs,
): Promise<LoadedWorkspace> {
  const linked = await readLink(configs, fragment);
  const kept = (await readKept(place))?.workspace;
  const hasLink = linked.columns !== null || linked.cases !== null;
  const columns = linked.columns ??
    (hasLink ? undefined : kept?.columns) ?? [columnOf(1, firstSource(known))];
  return {
    workspace: {
      columns: columns.map((column) => ({ ...column, source: pinned(column.source, known) })),
      cases: linked.cases ?? kept?.cases ?? [firstCase(route)],
    },
    notice: linked.isUnreadable ? UNREADABLE : null,
  };
}

function firstCase(route: RouteSchema): TestCase {
  return { id: 1, name: "Case 1", draft: emptyDraft(route.inputs) };
}

/** The user's own work on a route, beside the workspace that is shown. */
export interface OwnWorkspace {
  /** Own work that is not shown and can be restored; null if there is none. */
  readonly aside: Workspace | null;
  /** It was set aside just now. */
  readonly isNews: boolean;
  /** The shown workspace came from a link or a recorded call, and was not edited. */
  readonly isOpened: boolean;
}

/**
 * Sets the user's own work aside if the address replaces it by a link or a recorded call. A workspace that
 * came from a link itself is set aside only if it was edited.
 *
 * @param isFromElsewhere The address was not written by this page.
 */
export async function setAsideOwnWork(
  place: RoutePlace,
  { inputs }: RouteSchema,
  shown: Workspace,
  isFromElsewhere: boolean,
): Promise<OwnWorkspace> {
  const kept = await readKept(place);
  const isNews =
    isFromElsewhere &&
    kept !== null &&
    !kept.isOpened &&
    hasLostWork(kept.workspace, shown, inputs);
  if (isNews) setAside(place);
  const aside = await asideWorkspace(place);
  return {
    aside: aside !== null && hasLostWork(aside, shown, inputs) ? aside : null,
    isNews,
    isOpened: isNews || kept?.isOpened === true,
  };
}

/** Whether `shown` lacks an edit or a non-empty test case of `own`. */
export function hasLostWork(
  own: Workspace,
  shown: Workspace,
  inputs: RouteSchema["inputs"],
): boolean {
  const empty = emptyDraft(inputs);
  const isLostCase = ({ draft }: Workspace["cases"][number]) =>
    !isSameJson(draft, empty) && !shown.cases.some((other) => isSameJson(other.draft, draft));
  const isLostEdit = ({ draft }: Workspace["columns"][number]) =>
    draft !== null && !shown.columns.some((other) => isSameJson(other.draft, draft));
  return own.cases.some(isLostCase) || own.columns.some(isLostEdit);
}
