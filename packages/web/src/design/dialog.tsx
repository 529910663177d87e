import { X } from "lucide-react";
import type { ReactNode } from "react";
import { useId } from "react";
import { classNames } from "./class-names.ts";
import { IconButton } from "./icon-button.tsx";
import { Modal } from "./modal.tsx";

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
