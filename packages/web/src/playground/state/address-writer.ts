import type { Workspace } from "./workspace.ts";
import { type WorkspaceLink, writeLink } from "./workspace-link.ts";

/** Browsers take about 200 changes of the address in half a minute, and then no more. */
const TYPING_PAUSE_MS = 160;

export interface AddressTarget {
  /** Puts a link into the address: as a new entry of the history, or over the current one. */
  put(link: WorkspaceLink, isNewEntry: boolean): void | Promise<void>;
  /** Keeps it for the next time. */
  keep(link: WorkspaceLink): void;
  /** More is typed than an address holds: the link is without the cases. */
  onTooLong(): void;
}

/** Browsers refuse addresses of about two million characters; other programs cut them off earlier. */
const LONGEST_FRAGMENT = 500_000;

/**
 * Keeps the address up to date with what is set up. Packing takes a moment, so writes follow each
 * other in a chain; what is typed is written when the typing pauses, or before the next step.
 */
export class AddressWriter {
  readonly #target: AddressTarget;
  #typed: Workspace | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #chain: Promise<void> = Promise.resolve();
  #isOpen = false;

  constructor(target: AddressTarget) {
    this.#target = target;
  }

  open(): void {
    this.#isOpen = true;
  }

  write(workspace: Workspace, isNewEntry: boolean): void {
    if (!isNewEntry) {
      this.#typed = workspace;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.flush(), TYPING_PAUSE_MS);
      return;
    }
    // The entry that is left should have what was typed last.
    void this.flush();
    this.#enqueue(workspace, true);
  }

  /** Resolves when the address has everything. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    const typed = this.#typed;
    this.#typed = null;
    if (typed !== null) this.#enqueue(typed, false);
    return this.#chain;
  }

  /** The reader has gone to another entry of the history: what was typed belongs to the one before. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#typed = null;
  }

  /** From now on the address belongs to another page; what was typed last is kept all the same. */
  close(): void {
    this.#isOpen = false;
    void this.flush();
  }

  #enqueue(workspace: Workspace, isNewEntry: boolean): void {
    this.#chain = this.#chain.then(async () => {
      const link = await writeLink(workspace);
      this.#target.keep(link);
      if (!this.#isOpen) return;
      if (link.fragment.length <= LONGEST_FRAGMENT) return this.#target.put(link, isNewEntry);
      this.#target.onTooLong();
      return this.#target.put(await writeLink({ ...workspace, cases: [] }), isNewEntry);
    });
  }
}
