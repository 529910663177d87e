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

/** What a button takes that cannot be pressed now, and what must stand beside it. */
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
 * Lets a button say why it cannot be pressed: read out with it, and shown when it is pointed at,
 * reached by the keyboard or tapped. A button that is `disabled` cannot be reached, and says nothing to
 * fingers and keyboards. Undefined where nothing is refused.
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
      // Neither does it send the form that it belongs to.
      type: "button",
      title: undefined,
      "aria-disabled": true,
      "aria-describedby": id,
      onClick: show,
      onFocus: show,
      onBlur: hide,
      onPointerEnter: show,
      // To the note itself: it stays, so that it can be read closely.
      onPointerLeave: ({ relatedTarget }) => {
        if (relatedTarget !== note.current) hide();
      },
    },
    note: (
      <span
        ref={note}
        id={id}
        // Above everything, dialogs too; closed by Escape.
        popover="auto"
        onPointerLeave={hide}
        className="inset-auto m-0 max-w-72 rounded-md border border-line-strong bg-raised px-2.5 py-1.5 text-left text-[0.93rem] font-normal whitespace-normal text-ink shadow-xl"
      >
        {refusal}
      </span>
    ),
  };
}

/** Below the button, or above it where there is no room; never beyond the edge of the window. */
function showAt(note: HTMLElement, button: HTMLElement): void {
  note.togglePopover(true);
  const { left, top, bottom } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = note;
  const rightmost = window.innerWidth - width - MARGIN;
  note.style.left = `${Math.max(MARGIN, Math.min(left, rightmost))}px`;
  note.style.top = `${bottom + height + MARGIN > window.innerHeight ? top - height : bottom}px`;
}
