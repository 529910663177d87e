import type { RouteSchema } from "@agate/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useLocation, useRouter } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { usePlatform } from "../../api/platform-context.tsx";
import { newEntry, useAddressWriter } from "./address-writer.ts";
import type { KnownConfigs } from "./column-base.ts";
import {
  type LoadedWorkspace,
  loadWorkspace,
  type OwnWorkspace,
  setAsideOwnWork,
} from "./load-workspace.ts";
import { loadRecordedCall } from "./recorded-call.ts";
import type { Workspace } from "./workspace.ts";
import { isStep, reduceWorkspace, type WorkspaceAction } from "./workspace.ts";
import { forgetAside, keepLastPlace, readForEntry } from "./workspace-storage.ts";

const page = getRouteApi("/apps/$app/playground");

const TOO_LONG =
  "The test cases are too long for an address: they are kept in this browser, but a link leaves them out.";

const NOTHING_ASIDE: OwnWorkspace = { aside: null, isNews: false, isOpened: false };

export interface OpenWorkspace {
  readonly workspace: Workspace;
  readonly notice: string | null;
  readonly closeNotice: () => void;
  /** What the reader had set up here before a link, or a recorded call, brought this. */
  readonly own: OwnWorkspace;
  readonly restore: () => void;
  readonly dispatch: (action: WorkspaceAction) => void;
  /** Resolves when the address has everything that is set up, or all but the cases. */
  readonly flush: () => Promise<{ readonly isTooLong: boolean }>;
}

/**
 * What is set up for a route, and kept in the address: a colleague who opens it sees the same, and
 * "back" goes back. Undefined while it is being read.
 */
export function useWorkspace(
  app: string,
  route: RouteSchema,
  known: KnownConfigs,
): OpenWorkspace | undefined {
  const client = usePlatform();
  const queries = useQueryClient();
  const { configs, span } = page.useSearch();
  const router = useRouter();
  // While the next page is being loaded the address is that page's already, and this one still shown.
  const [path] = useState(router.latestLocation.pathname);
  const fragment = useLocation({
    select: ({ pathname, hash }) => (pathname === path ? hash : null),
  });
  const entry = useLocation({ select: ({ state }) => state.entry });
  const [loaded, setLoaded] = useState<LoadedWorkspace>();
  const [own, setOwn] = useState<OwnWorkspace>(NOTHING_ASIDE);
  /** What is shown came from elsewhere, and was not edited. */
  const isOpened = useRef(false);
  const current = useRef<Workspace>(undefined);
  const { writer, shown } = useAddressWriter({
    place: { project: client.project, app, route: route.route },
    isOpened,
    onTooLong: (isTooLong) =>
      setLoaded((before) => before && { ...before, notice: isTooLong ? TOO_LONG : null }),
  });
  useEffect(
    () => keepLastPlace({ project: client.project, app, route: route.route }),
    [client, app, route.route],
  );

  // Read when the address is opened, and when the reader goes back or forward in it; not when the
  // schema or the registry is read anew.
  const latest = useRef({ route, known });
  latest.current = { route, known };
  useEffect(() => {
    if (fragment === null || (entry !== undefined && entry === shown.current)) return;
    if (entry === undefined) {
      // Comes here again, with a name.
      const { href, state } = router.history.location;
      router.history.replace(href, { ...state, entry: newEntry() });
      return;
    }
    writer.save();
    let isWanted = true;
    const { route, known } = latest.current;
    const place = { project: client.project, app, route: route.route };
    const fromAddress = () => loadWorkspace({ configs, fragment }, place, route, known);
    const load = async (): Promise<LoadedWorkspace> => {
      const kept = await readForEntry(entry);
      if (kept !== null) return { workspace: kept, notice: null };
      if (span === undefined) return fromAddress();
      try {
        return await loadRecordedCall(client, queries, app, route, span);
      } catch (error) {
        const { workspace } = await fromAddress();
        const reason = error instanceof Error ? error.message : String(error);
        return { workspace, notice: `The recorded call could not be opened. ${reason}` };
      }
    };
    const isFromElsewhere = span !== undefined || router.latestLocation.state.isOwn !== true;
    const open = async () => {
      const result = await load();
      if (!isWanted) return;
      const beside = await setAsideOwnWork(place, route, result.workspace, isFromElsewhere);
      if (!isWanted) return;
      writer.leave();
      shown.current = entry;
      isOpened.current = beside.isOpened;
      setOwn(beside);
      current.current = result.workspace;
      setLoaded(result);
      writer.write(result.workspace, false);
      void writer.flush();
    };
    void open();
    return () => {
      isWanted = false;
    };
  }, [configs, fragment, entry, span, app, client, queries, router, writer, shown]);

  const dispatch = useCallback(
    (action: WorkspaceAction) => {
      if (current.current === undefined) return;
      const workspace = reduceWorkspace(current.current, action);
      current.current = workspace;
      isOpened.current = false;
      setLoaded((before) => ({ workspace, notice: before?.notice ?? null }));
      writer.write(workspace, isStep(action));
    },
    [writer],
  );
  const closeNotice = useCallback(
    () => setLoaded((before) => before && { ...before, notice: null }),
    [],
  );
  const restore = useCallback(() => {
    if (own.aside === null) return;
    dispatch({ kind: "restore", workspace: own.aside });
    forgetAside({ project: client.project, app, route: route.route });
    setOwn(NOTHING_ASIDE);
  }, [own, dispatch, client, app, route.route]);
  const flush = useCallback(() => writer.flush(), [writer]);
  return loaded && { ...loaded, closeNotice, own, restore, dispatch, flush };
}
