import { getRouteApi, useRouter } from "@tanstack/react-router";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { Workspace } from "./workspace.ts";
import { type PlainLink, type WorkspaceLink, writeLink, writePlain } from "./workspace-link.ts";
import { keepForEntry, keepLink, type RoutePlace } from "./workspace-storage.ts";

/** Browsers take about 200 changes of the address in half a minute, and then no more. */
const TYPING_PAUSE_MS = 160;

export interface AddressTarget {
  /** Makes a new entry of the history at once; its address names the configurations alone as yet. */
  push(configs: string): void;
  /** Puts a link over the address of the current entry; false if the reader has gone to another. */
  put(link: WorkspaceLink): boolean;
  /** Keeps it, as what the current entry has, and for the next time. */
  keep(link: WorkspaceLink | PlainLink): void;
  /** More is typed than an address holds, and the link is without the cases; or no longer. */
  onTooLong(isTooLong: boolean): void;
}

/** Browsers refuse addresses of about two million characters; other programs cut them off earlier. */
const LONGEST_FRAGMENT = 500_000;

/**
 * Keeps the address up to date with what is set up. Packing takes a moment, and what is typed waits for
 * the typing to pause: a reader who leaves before that loses nothing all the same.
 */
export class AddressWriter {
  readonly #target: AddressTarget;
  /** What the current entry has, and its address has not. */
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

  /** Resolves when the address has everything; `isTooLong`: everything but the cases. */
  async flush(): Promise<{ readonly isTooLong: boolean }> {
    clearTimeout(this.#timer);
    this.#chain = this.#chain.then(() => this.#pack());
    await this.#chain;
    return { isTooLong: this.#isTooLong };
  }

  /** The reader goes, or may be about to: whatever is not written yet is there when they come back. */
  save(): void {
    if (this.#unwritten !== null) this.#target.keep(writePlain(this.#unwritten));
  }

  /** From now on the address belongs to another entry of the history, or to another page. */
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
    // Typed on meanwhile, or left: what is packed is out of date, or belongs to another entry.
    if (this.#unwritten !== workspace) return;
    // The other entry may not come to be shown: the reader has returned before.
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
