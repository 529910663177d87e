import type { LucideIcon } from "lucide-react";
import type { ComponentProps, ReactNode, SyntheticEvent } from "react";
import { useId, useRef } from "react";
import { classNames } from "./class-names.ts";

export type ButtonLook = "primary" | "plain" | "quiet" | "danger";

const LOOKS: Record<ButtonLook, string> = {
  primary: "bg-accent text-accent-ink border-transparent hover:brightness-110",
  plain: "bg-surface text-ink border-line-strong/50 hover:border-line-strong hover:bg-sunken",
  quiet: "bg-transparent text-ink-soft border-transparent hover:bg-sunken hover:text-ink",
  danger: "bg-danger text-danger-ink border-transparent hover:brightness-110",
};

/** The classes of a button; for links that look like one. */
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
  /** Why the button is disabled; null where it is not. Use `disabled` for a short wait. */
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

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  readonly icon: LucideIcon;
  /** Read out, and shown on hover. */
  readonly label: string;
  /** Why the button is disabled; null where it is not. */
  readonly refusal?: string | null | undefined;
}

/** A button with an icon and no text. */
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

/** The props of a disabled button, and the note with the reason to render beside it. */
interface Refused {
  readonly button: {
    readonly type: "button";
    readonly title: undefined;
    readonly "aria-disabled": true;
    readonly "aria-describedby": string;
    readonly onClick: (event: SyntheticEvent<HTMLElement>) => void;
    readonly onFocus: (event: SyntheticEvent<HTMLElement>) => void;
    readonly onBlur: () => void;
    readonly onPointerEnter: (event: SyntheticEvent<HTMLElement>) => void;
    readonly onPointerLeave: (event: PointerLeaving) => void;
  };
  readonly note: ReactNode;
}

interface PointerLeaving {
  readonly relatedTarget: EventTarget | null;
}

const MARGIN = 8;

/**
 * Disables a button and gives the reason: read out with the button, and shown on hover, focus or tap.
 * A button with the attribute `disabled` gets no focus and no events, so that keyboard and touch users
 * would not learn the reason. Undefined where there is no reason.
 */
function useRefusal(refusal: string | null | undefined): Refused | undefined {
  const id = useId();
  const note = useRef<HTMLSpanElement>(null);
  if (refusal === null || refusal === undefined) return undefined;
  const show = ({ currentTarget }: SyntheticEvent<HTMLElement>) => {
    if (note.current !== null) showAt(note.current, currentTarget);
  };
  const hide = () => note.current?.hidePopover();
  return {
    button: {
      // A submit button would still submit its form.
      type: "button",
      title: undefined,
      "aria-disabled": true,
      "aria-describedby": id,
      onClick: show,
      onFocus: show,
      onBlur: hide,
      onPointerEnter: show,
      // The note stays open while the pointer is over it (WCAG 1.4.13).
      onPointerLeave: ({ relatedTarget }) => {
        if (relatedTarget !== note.current) hide();
      },
    },
    note: (
      <span
        ref={note}
        id={id}
        // In the top layer, above dialogs; Escape closes it.
        popover="auto"
        onPointerLeave={hide}
        className="inset-auto m-0 max-w-72 rounded-md border border-line-strong bg-raised px-2.5 py-1.5 text-left text-[0.93rem] font-normal whitespace-normal text-ink shadow-xl"
      >
        {refusal}
      </span>
    ),
  };
}

/** Places the note below the button, or above it where there is no room, inside the window. */
function showAt(note: HTMLElement, button: HTMLElement): void {
  note.togglePopover(true);
  const { left, top, bottom } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = note;
  const rightmost = window.innerWidth - width - MARGIN;
  note.style.left = `${Math.max(MARGIN, Math.min(left, rightmost))}px`;
  note.style.top = `${bottom + height + MARGIN > window.innerHeight ? top - height : bottom}px`;
}
