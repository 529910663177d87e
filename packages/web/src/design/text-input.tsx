import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";
import { CONTROL_CLASS } from "./control-class.ts";

/** One line of text. Give it a label: see {@link Field}. */
export function TextInput({ className, ...rest }: ComponentProps<"input">) {
  return <input dir="auto" className={classNames(CONTROL_CLASS, "h-8", className)} {...rest} />;
}
