import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";

/** The browser's own checkbox, in the page's colours. Give it a label. */
export function Checkbox({ className, ...rest }: Omit<ComponentProps<"input">, "type">) {
  return (
    <input
      type="checkbox"
      className={classNames("size-4 shrink-0 cursor-pointer accent-accent", className)}
      {...rest}
    />
  );
}
