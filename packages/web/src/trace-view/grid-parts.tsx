// The rows of a virtualised treegrid lie freely, which those of a table cannot; and it is the grid that
// has the focus and says which row is meant, so that rows may come and go.
import type { ComponentProps } from "react";

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
