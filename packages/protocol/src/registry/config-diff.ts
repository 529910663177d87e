import type { VariantRevision } from "./variant.ts";

/** How two revisions differ, per route and field. Routes and fields that are the same are left out. */
export interface ConfigDiff {
  readonly from: VariantRevision;
  readonly to: VariantRevision;
  /** Ordered by path. */
  readonly routes: readonly RouteDiff[];
}

export interface RouteDiff {
  readonly route: string;
  /** Ordered by name. */
  readonly fields: readonly FieldDiff[];
}

/** A field that is absent on one side has its default there, which the application's schema may know. */
export type FieldDiff =
  | { readonly field: string; readonly change: "added"; readonly to: unknown }
  | { readonly field: string; readonly change: "removed"; readonly from: unknown }
  | {
      readonly field: string;
      readonly change: "changed";
      readonly from: unknown;
      readonly to: unknown;
    };
