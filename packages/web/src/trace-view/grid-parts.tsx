// Rows of a virtualised treegrid are positioned absolutely, which table rows cannot be. The grid keeps the
// focus and names the active row (aria-activedescendant), because rows are mounted and unmounted.
import type { ComponentProps } from "react";
import { classNames } from "../design/class-names.ts";

/** A row of a treegrid. */
export function GridRow(props: ComponentProps<"div">) {
  // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: see above.
  return <div role="row" {...props} />;
}

export function GridCell(props: ComponentProps<"div">) {
  // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: see above.
  return <div role="gridcell" {...props} />;
}

export function GridHeading(props: ComponentProps<"div">) {
  // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: see above.
  return <div role="columnheader" {...props} />;
}

export function GridRows(props: ComponentProps<"div">) {
  // biome-ignore lint/a11y/useSemanticElements: see above.
  return <div role="rowgroup" {...props} />;
}

export const ROW_HEIGHT = 30;

/** The columns of the tree: name, latency, tokens, cost, time; fewer on a narrow screen. */
export function rowClass(isCompact: boolean): string {
  return classNames(
    "grid items-center gap-x-3 px-3",
    isCompact
      ? "grid-cols-[minmax(0,1.2fr)_4rem_minmax(5rem,1fr)]"
      : "grid-cols-[minmax(0,1.3fr)_4rem_minmax(5.5rem,1fr)] @min-[560px]:grid-cols-[minmax(0,1.5fr)_4.4rem_3.6rem_5.6rem_minmax(8rem,1fr)]",
  );
}
