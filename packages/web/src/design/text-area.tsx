import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";
import { CONTROL_CLASS } from "./control-class.ts";

/** Text of several lines, as high as what is in it up to a point. */
export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return (
    <textarea
      dir="auto"
      className={classNames(
        CONTROL_CLASS,
        "field-sizing-content max-h-80 min-h-16 py-1.5 leading-relaxed",
        className,
      )}
      {...rest}
    />
  );
}
