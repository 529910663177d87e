import { getRouteApi, useRouter } from "@tanstack/react-router";
import { type RefObject, useEffect, useRef, useState } from "react";
import { AddressWriter } from "./address-writer.ts";
import type { WorkspaceLink } from "./workspace-link.ts";
import { keepForEntry, keepLink, type RoutePlace } from "./workspace-storage.ts";

const page = getRouteApi("/apps/$app/playground");

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The playground has written this entry of the history: it is no link from elsewhere. */
    isOwn?: boolean;
    /** Names this entry of the playground's, whatever is written over its address. */
    entry?: string;
  }
}

interface AddressWriterOptions {
  readonly place: RoutePlace;
  /** What is shown came from elsewhere, and was not edited. */
  readonly isOpened: RefObject<boolean>;
  readonly onTooLong: (isTooLong: boolean) => void;
}

interface ShownAddress {
  readonly writer: AddressWriter;
  /** The name of the entry of the history that is shown; undefined before the first is. */
  readonly shown: RefObject<string | undefined>;
}

/** Writes into the address of the entry that is shown, and into no other that the reader has gone to. */
export function useAddressWriter(options: AddressWriterOptions): ShownAddress {
  const { place, isOpened, onTooLong } = options;
  const navigate = page.useNavigate();
  const { history } = useRouter();
  const shown = useRef<string>(undefined);
  const [writer] = useState(() => {
    const go = (entry: string, { configs, fragment }: WorkspaceLink, replace: boolean) => {
      void navigate({
        search: ({ project }: { project?: string }) => ({
          ...(project !== undefined && { project }),
          route: place.route,
          configs,
        }),
        hash: fragment,
        state: (before) => ({ ...before, isOwn: true, entry }),
        replace,
        resetScroll: false,
        hashScrollIntoView: false,
      });
      // The router would do so a moment later, when the reader may have gone back.
      history.flush();
    };
    return new AddressWriter({
      push: (configs) => {
        shown.current = newEntry();
        go(shown.current, { configs, fragment: "" }, false);
      },
      put: (link) => {
        const { entry } = history.location.state;
        if (entry === undefined || entry !== shown.current) return false;
        go(entry, link, true);
        return true;
      },
      keep: (link) => {
        keepLink(place, link, isOpened.current);
        if (shown.current !== undefined) keepForEntry(shown.current, link);
      },
      onTooLong,
    });
  });
  useEffect(() => {
    const save = () => writer.save();
    window.addEventListener("pagehide", save);
    return () => {
      window.removeEventListener("pagehide", save);
      writer.leave();
    };
  }, [writer]);
  return { writer, shown };
}

/** A name that no other entry of the history has. */
export function newEntry(): string {
  return Math.random().toString(36).slice(2);
}
