import { getRouteApi, useRouter } from "@tanstack/react-router";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { Workspace } from "./workspace.ts";
import { type PlainLink, type WorkspaceLink, writeLink, writePlain } from "./workspace-link.ts";
import { keepForEntry, keepLeftEntry, keepLink, type RoutePlace } from "./workspace-storage.ts";

/** Browsers allow about 200 changes of the address in 30 seconds. */
const TYPING_PAUSE_MS = 160;

export interface AddressTarget {
  /** Adds a history entry at once; its address has only the names of the configurations at first. */
  push(configs: string): void;
  /** Replaces the address of the current entry; false if the user went to another entry. */
  put(link: WorkspaceLink): boolean;
  /** Saves the link for the current entry, and for the next visit. */
  keep(link: WorkspaceLink | PlainLink): void;
  /** The address became too long for the test cases, or short enough again. */
  onTooLong(isTooLong: boolean): void;
}

/** Browsers reject addresses of about two million characters; other programs truncate them earlier. */
const LONGEST_FRAGMENT = 500_000;

/**
 * Writes the workspace to the address. Compression is asynchronous and waits for a pause in typing;
 * `save` and `leave` store an unwritten workspace at once, so that leaving the page loses nothing.
 */
export class AddressWriter {
  readonly #target: AddressTarget;
  /** The workspace of the current entry, until its address holds it. */
  #unwritten: Workspace | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #chain: Promise<void> = Promise.resolve();
  #isTooLong = false;

  constructor(target: AddressTarget) {
    this.#target = target;
  }

  write(workspace: Workspace, isNewEntry: boolean): void {
    if (isNewEntry) {
      this.leave();
      this.#target.push(writePlain(workspace).configs);
    }
    this.#unwritten = workspace;
    if (isNewEntry) void this.flush();
    else this.#wait();
  }

  /** Resolves when the address holds the workspace; without its test cases if it `isTooLong`. */
  async flush(): Promise<{ readonly isTooLong: boolean }> {
    clearTimeout(this.#timer);
    this.#chain = this.#chain.then(() => this.#pack());
    await this.#chain;
    return { isTooLong: this.#isTooLong };
  }

  /** Stores an unwritten workspace, because the user may be leaving the page. */
  save(): void {
    if (this.#unwritten !== null) this.#target.keep(writePlain(this.#unwritten));
  }

  /** Stops writing to the current entry: the user goes to another entry or page. */
  leave(): void {
    clearTimeout(this.#timer);
    this.save();
    this.#unwritten = null;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), TYPING_PAUSE_MS);
  }

  async #pack(): Promise<void> {
    const workspace = this.#unwritten;
    if (workspace === null) return;
    const link = await writeLink(workspace);
    const isTooLong = link.fragment.length > LONGEST_FRAGMENT;
    const put = isTooLong ? await writeLink({ ...workspace, cases: [] }) : link;
    // The user typed on or left: this link is outdated or belongs to another entry.
    if (this.#unwritten !== workspace) return;
    // Tries again later: the user may come back before the other entry is shown.
    if (!this.#target.put(put)) return this.#wait();
    this.#unwritten = null;
    this.#target.keep(link);
    if (this.#isTooLong !== isTooLong) this.#target.onTooLong(isTooLong);
    this.#isTooLong = isTooLong;
  }
}

const page = getRouteApi("/apps/$app/playground");

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The playground wrote this history entry: it is not a link from elsewhere. */
    isOwn?: boolean;
    /** Identifies a history entry of the playground while its address changes. */
    entry?: string;
  }
}

interface AddressWriterOptions {
  readonly place: RoutePlace;
  /** The workspace came from a link or a recorded call, and was not edited. */
  readonly isOpened: RefObject<boolean>;
  readonly onTooLong: (isTooLong: boolean) => void;
}

export interface ShownAddress {
  readonly writer: AddressWriter;
  /** The id of the history entry that is shown; undefined before the first. */
  readonly shown: RefObject<string | undefined>;
}

/** Writes to the address of the shown history entry only, never to another that the user went to. */
export function useAddressWriter(options: AddressWriterOptions): ShownAddress {
  const { place, isOpened, onTooLong } = options;
  const navigate = page.useNavigate();
  const { history } = useRouter();
  const shown = useRef<string>(undefined);
  const [writer] = useState(() => {
    const go = (entry: string, { configs, fragment }: WorkspaceLink, replace: boolean) => {
      void navigate({
        search: ({ project, environment }: { project?: string; environment?: string }) => ({
          ...(project !== undefined && { project }),
          ...(environment !== undefined && { environment }),
          route: place.route,
          configs,
        }),
        hash: fragment,
        state: (before) => ({ ...before, isOwn: true, entry }),
        replace,
        resetScroll: false,
        hashScrollIntoView: false,
      });
      // The router would flush a moment later, when the user may have gone back.
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
    const save = () => {
      writer.save();
      if (shown.current !== undefined) keepLeftEntry(place, shown.current);
    };
    window.addEventListener("pagehide", save);
    return () => {
      window.removeEventListener("pagehide", save);
      writer.leave();
    };
  }, [writer, place]);
  return { writer, shown };
}

/** A new id for a history entry. */
export function newEntry(): string {
  return Math.random().toString(36).slice(2);
}
