import type { TreeFocus } from "../span-store.ts";

/** What comes next of a tree that is read in another thread. */
export type TreePiece =
  | { readonly kind: "chunk"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "end" }
  | { readonly kind: "missing" }
  /** The trace was deleted while it was read. */
  | { readonly kind: "gone" }
  | { readonly kind: "damaged"; readonly traceId: string | null };

/** The caller gives each read a number of its own. */
export type TreeApi = {
  open(read: number, project: string, focus: TreeFocus): Promise<TreePiece>;
  next(read: number): Promise<TreePiece>;
  /** Ends a read: its client has gone, or has everything. */
  drop(read: number): Promise<void>;
  close(): Promise<void>;
};

export interface TreeData {
  readonly directory: string;
}
