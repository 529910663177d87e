import { classNames } from "../design/class-names.ts";

export const ROW_HEIGHT = 30;

/** The columns of the tree: name, latency, tokens, cost, time; fewer where it is narrow. */
export function rowClass(isCompact: boolean): string {
  return classNames(
    "grid items-center gap-x-3 px-3",
    isCompact
      ? "grid-cols-[minmax(0,1.2fr)_4rem_minmax(5rem,1fr)]"
      : "grid-cols-[minmax(0,1.3fr)_4rem_minmax(5.5rem,1fr)] @min-[560px]:grid-cols-[minmax(0,1.5fr)_4.4rem_3.6rem_5.6rem_minmax(8rem,1fr)]",
  );
}
