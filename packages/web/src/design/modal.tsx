import type { ComponentProps } from "react";
import { useEffect, useRef, useState } from "react";
import { classNames } from "./class-names.ts";

interface ModalProps extends Omit<ComponentProps<"dialog">, "onClose"> {
  readonly onClose: () => void;
  /** Whether a click beside it closes it, too. Not where something would be lost. */
  readonly closesOutside?: boolean;
}

/**
 * A box over the page: the browser's own dialog, which keeps the focus inside, gives it back, and
 * closes by Escape. It is open for as long as it is there. Give it a name (`aria-label`).
 */
export function Modal({ onClose, closesOutside = true, className, children, ...rest }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [before] = useState(focusedElement);
  useEffect(() => {
    // Where it takes the place of another, that one has given the focus back just now.
    const beneath = before?.isConnected ? before : focusedElement();
    dialog.current?.showModal();
    // The browser takes the first that can have it, which is the button that closes.
    dialog.current?.querySelector<HTMLElement>("input, select")?.focus();
    // The browser gives the focus back when a dialog is closed, but not when it is taken away.
    return () => beneath?.focus();
  }, [before]);
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      // The backdrop is part of the dialog itself; its content is in the div below. Not on click: a
      // text that is selected beyond the edge ends with one on the dialog.
      onPointerDown={(event) => {
        if (closesOutside && event.target === dialog.current) onClose();
      }}
      // Keys of the page beneath are not meant.
      onKeyDown={(event) => event.stopPropagation()}
      className={classNames(
        "w-[calc(100%-2rem)] overflow-hidden rounded-xl border border-line bg-raised p-0 text-ink shadow-2xl backdrop:bg-black/40",
        className,
      )}
      {...rest}
    >
      <div>{children}</div>
    </dialog>
  );
}

/** What has the focus, if anything; of a menu that is about to close, the button that opened it. */
function focusedElement(): HTMLElement | null {
  const focused = document.activeElement;
  const opener = focused?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const element = opener ? document.getElementById(opener) : focused;
  return element instanceof HTMLElement && element !== document.body ? element : null;
}
