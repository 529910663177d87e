import type { ReactNode, SyntheticEvent } from "react";
import { useId, useRef } from "react";

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
export function useRefusal(refusal: string | null | undefined): Refused | undefined {
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
