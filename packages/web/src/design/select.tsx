import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";
import { CONTROL_CLASS } from "./control-class.ts";

/**
 * A dropdown: the browser's own, which every keyboard, phone and screen reader knows. Groups are
 * `<optgroup>`.
 */
export function Select({ className, children, ...rest }: ComponentProps<"select">) {
  return (
    <span className={classNames("relative inline-flex", className)}>
      <select className={classNames(CONTROL_CLASS, "h-8 appearance-none pr-8")} {...rest}>
        {children}
      </select>
      <ChevronDown
        size={14}
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-ink-soft"
      />
    </span>
  );
}
