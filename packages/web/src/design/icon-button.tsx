import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";
import { useRefusal } from "./use-refusal.tsx";

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  readonly icon: LucideIcon;
  /** What it does: read out, and shown on hover. */
  readonly label: string;
  /** Why it cannot be pressed now; null where it can. */
  readonly refusal?: string | null | undefined;
}

/** A button that is an icon alone. */
export function IconButton(props: IconButtonProps) {
  const { icon: Icon, label, className, refusal, ...rest } = props;
  const refused = useRefusal(refusal);
  return (
    <>
      <button
        type="button"
        aria-label={label}
        title={label}
        className={classNames(
          "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-ink-soft transition-colors hover:bg-sunken hover:text-ink disabled:opacity-40 aria-disabled:cursor-not-allowed aria-disabled:opacity-40",
          className,
        )}
        {...rest}
        {...refused?.button}
      >
        <Icon size={16} aria-hidden />
      </button>
      {refused?.note}
    </>
  );
}
