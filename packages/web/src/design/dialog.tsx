import { X } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { useEffect, useId, useRef, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";

interface DialogProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  /** Buttons in the footer. */
  readonly actions?: ReactNode;
  readonly width?: "normal" | "wide";
  readonly children: ReactNode;
}

/**
 * A modal dialog with a title, open while it is mounted.
 *
 * @example {isAsking && <Dialog title="Deploy" onClose={() => setAsking(false)}>…</Dialog>}
 */
export function Dialog({ title, onClose, actions, width = "normal", children }: DialogProps) {
  const titleId = useId();
  return (
    <Modal
      aria-labelledby={titleId}
      onClose={onClose}
      // A stray click must not discard typed text, or a key that is shown once.
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
  /** The label of the submit button: "Rename". */
  readonly action: string;
  readonly onSubmit: () => void;
  readonly isPending?: boolean;
  /** Disables the submit button. */
  readonly isEmpty?: boolean;
  /** Why the form cannot be submitted. */
  readonly refusal?: string | null;
  readonly width?: DialogProps["width"];
  readonly children: ReactNode;
}

/** A dialog with a form: Enter submits it, as the button does. */
export function FormDialog(props: FormDialogProps) {
  const { title, onClose, action, onSubmit, isPending = false, isEmpty = false } = props;
  const { refusal = null, width = "normal", children } = props;
  const formId = useId();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      width={width}
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
  /** Whether a click on the backdrop closes it. */
  readonly closesOutside?: boolean;
}

/**
 * The browser's modal dialog, which traps the focus and closes by Escape. It is open while it is
 * mounted. Give it an accessible name (`aria-label`).
 */
export function Modal({ onClose, closesOutside = true, className, children, ...rest }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [before] = useState(focusedElement);
  useEffect(() => {
    // A dialog that replaces another one gets the element to which that one has just returned the focus.
    const beneath = before?.isConnected ? before : focusedElement();
    dialog.current?.showModal();
    // The browser would focus the first focusable element, the close button.
    dialog.current?.querySelector<HTMLElement>("input, select")?.focus();
    // The browser returns the focus when a dialog is closed, but not when it is removed.
    return () => beneath?.focus();
  }, [before]);
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      // The backdrop is part of the dialog; the content is in the div below. On pointerdown, because
      // selecting text beyond the edge ends with a click on the dialog.
      onPointerDown={(event) => {
        if (closesOutside && event.target === dialog.current) onClose();
      }}
      // Shortcuts of the page below must not fire.
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

/** The focused element; for an item of a menu, which is about to close, the button that opened it. */
function focusedElement(): HTMLElement | null {
  const focused = document.activeElement;
  const opener = focused?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const element = opener ? document.getElementById(opener) : focused;
  return element instanceof HTMLElement && element !== document.body ? element : null;
}
