import type { RouteSchema } from "@agate/protocol";
import { isSameJson } from "@agate/protocol";
import { emptyDraft } from "../../input-form/input-draft.ts";
import { firstSource, type KnownConfigs, pinned } from "./column-base.ts";
import { columnOf, type TestCase, type Workspace } from "./workspace.ts";
import { type LinkedWorkspace, readLink } from "./workspace-link.ts";
import { asideWorkspace, type RoutePlace, readKept, setAside } from "./workspace-storage.ts";

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

/** What the reader had set up for a route, beside what is shown of it. */
export interface OwnWorkspace {
  /** Something that is not shown, and can be brought back; null where nothing is. */
  readonly aside: Workspace | null;
  /** It was put aside just now. */
  readonly isNews: boolean;
  /** What is shown came from elsewhere, and nobody has edited it here. */
  readonly isOpened: boolean;
}

/**
 * Puts aside what the reader had set up, where an address brings something else: a colleague's link, or a
 * recorded call. What came from elsewhere itself is not put aside unless it was edited.
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

/** Whether somebody who had `own` misses anything in `shown`: an edit, or a case with something in it. */
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
