import type { TreeFocus } from "../span-store.ts";

/** What comes next of a tree that is read in another thread. Errors are values: classes are lost on the way. */
export type TreePiece =
  | { readonly kind: "chunk"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "end" }
  | { readonly kind: "missing" }
  /** The read was dropped. */
  | { readonly kind: "abandoned" }
  /** The trace was deleted while it was read. */
  | { readonly kind: "gone" }
  | { readonly kind: "damaged"; readonly traceId: string | null }
  | { readonly kind: "unavailable"; readonly reason: string };

/** The caller gives each read a number of its own. */
export type TreeApi = {
  open(read: number, project: string, focus: TreeFocus): Promise<TreePiece>;
  next(read: number): Promise<TreePiece>;
  /** Stops a read: its client has gone. One that has ended or failed needs no drop. */
  drop(read: number): Promise<void>;
  close(): Promise<void>;
};
