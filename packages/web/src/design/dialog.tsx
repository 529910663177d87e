import { X } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { useEffect, useId, useRef, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";

interface DialogProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  /** Buttons, at the foot. */
  readonly actions?: ReactNode;
  readonly width?: "normal" | "wide";
  readonly children: ReactNode;
}

/**
 * A question over the page, open for as long as it is there.
 *
 * @example {isAsking && <Dialog title="Deploy" onClose={() => setAsking(false)}>…</Dialog>}
 */
export function Dialog({ title, onClose, actions, width = "normal", children }: DialogProps) {
  const titleId = useId();
  return (
    <Modal
      aria-labelledby={titleId}
      onClose={onClose}
      // What was typed, or shown once, is not lost to a click that missed.
      closesOutside={false}
      className={classNames("m-auto", width === "wide" ? "max-w-3xl" : "max-w-md")}
    >
      <div className="flex max-h-[85dvh] flex-col">
        <header className="flex items-center justify-between gap-2 border-b border-line py-2.5 pr-2.5 pl-4">
          <h2 id={titleId} className="truncate text-base font-semibold">
            {title}
          </h2>
          <IconButton icon={X} label="Close" onClick={onClose} />
        </header>
        <div className="relative flex flex-col gap-4 overflow-y-auto p-4">{children}</div>
        {actions && (
          <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">
            {actions}
          </footer>
        )}
      </div>
    </Modal>
  );
}

interface FormDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** What the button says that sends it: "Rename". */
  readonly action: string;
  readonly onSubmit: () => void;
  readonly isPending: boolean;
  /** Whether there is nothing to send yet. */
  readonly isEmpty: boolean;
  /** Why it cannot be sent as it is. */
  readonly refusal?: string | null;
  readonly children: ReactNode;
}

/** A question with fields to fill in: Enter sends it, as the button does. */
export function FormDialog(props: FormDialogProps) {
  const { title, onClose, action, onSubmit, isPending, isEmpty, refusal = null, children } = props;
  const formId = useId();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            type="submit"
            form={formId}
            disabled={isEmpty || isPending}
            refusal={refusal}
          >
            {isPending ? "Working…" : action}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (refusal === null) onSubmit();
        }}
      >
        {children}
      </form>
    </Dialog>
  );
}

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
