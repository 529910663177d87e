import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";
import { useRefusal } from "./use-refusal.tsx";

export type ButtonLook = "primary" | "plain" | "quiet" | "danger";

const LOOKS: Record<ButtonLook, string> = {
  primary: "bg-accent text-accent-ink border-transparent hover:brightness-110",
  plain: "bg-surface text-ink border-line-strong/50 hover:border-line-strong hover:bg-sunken",
  quiet: "bg-transparent text-ink-soft border-transparent hover:bg-sunken hover:text-ink",
  danger: "bg-danger text-danger-ink border-transparent hover:brightness-110",
};

/** How a button looks; for links that should look the same. */
export function buttonClass(
  look: ButtonLook = "plain",
  size: "small" | "normal" = "normal",
): string {
  return classNames(
    "inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap transition-colors select-none",
    "disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50",
    size === "small" ? "h-7 px-2 text-[0.93rem]" : "h-8 px-3",
    LOOKS[look],
  );
}

interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: ButtonLook;
  readonly size?: "small" | "normal";
  /** Why it cannot be pressed now; null where it can. `disabled` is for what passes by itself. */
  readonly refusal?: string | null | undefined;
}

/** @example <Button look="primary" onClick={run}>Run</Button> */
export function Button(props: ButtonProps) {
  const { look, size, className, type = "button", refusal, ...rest } = props;
  const refused = useRefusal(refusal);
  return (
    <>
      <button
        type={type}
        className={classNames(buttonClass(look, size), className)}
        {...rest}
        {...refused?.button}
      />
      {refused?.note}
    </>
  );
}
