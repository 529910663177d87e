import type { RouteSchema } from "@agate/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useLocation, useRouter } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { usePlatform } from "../../api/platform-context.tsx";
import { newEntry, type ShownAddress, useAddressWriter } from "./address-writer.ts";
import type { KnownConfigs } from "./column-base.ts";
import {
  type LoadedWorkspace,
  loadWorkspace,
  type OwnWorkspace,
  setAsideOwnWork,
} from "./load-workspace.ts";
import { loadRecordedCall } from "./recorded-call.ts";
import { isStep, reduceWorkspace, type Workspace, type WorkspaceAction } from "./workspace.ts";
import {
  forgetAside,
  keepLastPlace,
  type RoutePlace,
  readForEntry,
  takeLeftEntry,
} from "./workspace-storage.ts";

const page = getRouteApi("/apps/$app/playground");

const TOO_LONG = "The test cases are too long for a link. They are saved in this browser only.";

const NOTHING_ASIDE: OwnWorkspace = { aside: null, isNews: false, isOpened: false };

export interface OpenWorkspace {
  readonly workspace: Workspace;
  readonly notice: string | null;
  readonly closeNotice: () => void;
  /** The user's own work, which a link or a recorded call has replaced. */
  readonly own: OwnWorkspace;
  /** Brings the user's own work back. */
  readonly restore: () => void;
  readonly dispatch: (action: WorkspaceAction) => void;
  /** Resolves when the address holds the workspace; without its test cases if it `isTooLong`. */
  readonly flush: () => Promise<{ readonly isTooLong: boolean }>;
}

/**
 * The workspace of a route. It is kept in the address, so that a link shows a colleague the same and the
 * browser's back button undoes steps. Undefined while it is loading.
 */
export function useWorkspace(
  app: string,
  route: RouteSchema,
  known: KnownConfigs,
): OpenWorkspace | undefined {
  const { project } = usePlatform();
  const place = useMemo(() => ({ project, app, route: route.route }), [project, app, route.route]);
  const [loaded, setLoaded] = useState<LoadedWorkspace>();
  const [own, setOwn] = useState<OwnWorkspace>(NOTHING_ASIDE);
  /** The workspace came from a link or a recorded call, and was not edited. */
  const isOpened = useRef(false);
  const current = useRef<Workspace>(undefined);
  const address = useAddressWriter({
    place,
    isOpened,
    onTooLong: (isTooLong) =>
      setLoaded((before) => before && { ...before, notice: isTooLong ? TOO_LONG : null }),
  });
  const { writer } = address;
  useEffect(() => keepLastPlace(place), [place]);
  useEntryLoader(place, route, known, address, (result, beside) => {
    isOpened.current = beside.isOpened;
    setOwn(beside);
    current.current = result.workspace;
    setLoaded(result);
  });

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
    forgetAside(place);
    setOwn(NOTHING_ASIDE);
  }, [own, dispatch, place]);
  const flush = useCallback(() => writer.flush(), [writer]);
  return loaded && { ...loaded, closeNotice, own, restore, dispatch, flush };
}

/** Loads the workspace of each history entry that the user opens, or goes back or forward to. */
function useEntryLoader(
  place: RoutePlace,
  route: RouteSchema,
  known: KnownConfigs,
  { writer, shown }: ShownAddress,
  onLoaded: (loaded: LoadedWorkspace, own: OwnWorkspace) => void,
): void {
  const client = usePlatform();
  const queries = useQueryClient();
  const { configs, span } = page.useSearch();
  const router = useRouter();
  // The address changes before the page does: while the next page loads, this one must not read its hash. Nor may it
  // take that address for its own, where it is shown only now.
  const path = page.useMatch({ select: ({ pathname }) => pathname });
  const fragment = useLocation({
    select: ({ pathname, hash }) => (pathname === path ? hash : null),
  });
  const entry = useLocation({ select: ({ state }) => state.entry });
  // A new schema or registry state must not reload the workspace: only a new entry does.
  const latest = useRef({ route, known, onLoaded });
  latest.current = { route, known, onLoaded };
  useEffect(() => {
    if (fragment === null || (entry !== undefined && entry === shown.current)) return;
    const left = takeLeftEntry(place);
    if (entry === undefined) {
      // Names the entry; the effect runs again with the name.
      const { href, state } = router.history.location;
      const named = left === null ? { entry: newEntry() } : { entry: left, isOwn: true };
      router.history.replace(href, { ...state, ...named });
      return;
    }
    writer.save();
    let isCancelled = false;
    const { route, known } = latest.current;
    const fromAddress = () => loadWorkspace({ configs, fragment }, place, route, known);
    const load = async (): Promise<LoadedWorkspace> => {
      const kept = await readForEntry(entry);
      if (kept !== null) return { workspace: kept, notice: null };
      if (span === undefined) return fromAddress();
      try {
        return await loadRecordedCall(client, queries, place.app, route, span);
      } catch (error) {
        const { workspace } = await fromAddress();
        const reason = error instanceof Error ? error.message : String(error);
        return { workspace, notice: `Can't open the recorded call. ${reason}` };
      }
    };
    const isFromElsewhere = span !== undefined || router.latestLocation.state.isOwn !== true;
    const open = async () => {
      const loaded = await load();
      if (isCancelled) return;
      const own = await setAsideOwnWork(place, route, loaded.workspace, isFromElsewhere);
      if (isCancelled) return;
      writer.leave();
      shown.current = entry;
      latest.current.onLoaded(loaded, own);
      writer.write(loaded.workspace, false);
      void writer.flush();
    };
    void open();
    return () => {
      isCancelled = true;
    };
  }, [configs, fragment, entry, span, place, client, queries, router, writer, shown]);
}
