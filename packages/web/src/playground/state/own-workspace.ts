import type { RouteSchema } from "@agate/protocol";
import { losesWork } from "./loses-work.ts";
import type { Workspace } from "./workspace.ts";
import { asideWorkspace, type RoutePlace, readKept, setAside } from "./workspace-storage.ts";

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
export async function keepOwn(
  place: RoutePlace,
  { inputs }: RouteSchema,
  shown: Workspace,
  isFromElsewhere: boolean,
): Promise<OwnWorkspace> {
  const kept = await readKept(place);
  const isNews =
    isFromElsewhere && kept !== null && !kept.isOpened && losesWork(kept.workspace, shown, inputs);
  if (isNews) setAside(place);
  const aside = await asideWorkspace(place);
  return {
    aside: aside !== null && losesWork(aside, shown, inputs) ? aside : null,
    isNews,
    isOpened: isNews || kept?.isOpened === true,
  };
}
