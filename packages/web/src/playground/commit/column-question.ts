/** What is asked about a column, or told, in a dialog. */
export type ColumnQuestion =
  | { readonly kind: "commit" | "save-as"; readonly column: number }
  /** It is done; what comes next? */
  | { readonly kind: "committed"; readonly variant: string; readonly revision: number }
  | { readonly kind: "deploy"; readonly variant: string; readonly revision: number };
