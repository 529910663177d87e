import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  readonly icon: LucideIcon;
  /** What it does: read out, and shown on hover. */
  readonly label: string;
}

/** A button that is an icon alone. */
export function IconButton({ icon: Icon, label, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classNames(
        "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-ink-soft transition-colors hover:bg-sunken hover:text-ink disabled:opacity-40",
        className,
      )}
      {...rest}
    >
      <Icon size={16} aria-hidden />
    </button>
  );
}
