import { CircleAlert, CircleCheck, X } from "lucide-react";
import type { ReactNode } from "react";
import { createContext, useCallback, useContext, useMemo, useState } from "react";
import { IconButton } from "./button.tsx";

const SHOWN_MS = 6000;

interface Toast {
  readonly id: number;
  readonly tone: "done" | "failed";
  readonly text: ReactNode;
}

/** Shows a message in a corner of the page. */
export interface Toaster {
  /** Disappears after a few seconds. May hold a link. */
  done(text: ReactNode): void;
  /** Stays until it is closed. */
  failed(text: string): void;
}

const ToasterContext = createContext<Toaster | null>(null);

/** @example const toaster = useToaster(); toaster.done("Revision 4 committed.") */
export function useToaster(): Toaster {
  const toaster = useContext(ToasterContext);
  if (toaster === null) throw new Error("useToaster is used outside of ToasterProvider.");
  return toaster;
}

export function ToasterProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const close = useCallback(
    (id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)),
    [],
  );
  const toaster = useMemo<Toaster>(() => {
    const show = (tone: Toast["tone"], text: ReactNode) => {
      const id = performance.now();
      setToasts((all) => [...all, { id, tone, text }]);
      if (tone === "done") setTimeout(() => close(id), SHOWN_MS);
    };
    return { done: (text) => show("done", text), failed: (text) => show("failed", text) };
  }, [close]);
  return (
    <ToasterContext value={toaster}>
      {children}
      <div
        role="status"
        className="pointer-events-none fixed right-4 bottom-16 z-50 flex max-w-[calc(100vw-2rem)] flex-col gap-2 md:bottom-4"
      >
        {toasts.map((toast) => (
          <div
            key={toast.id}
            className="pointer-events-auto flex w-96 max-w-full items-start gap-2.5 rounded-lg border border-line bg-raised py-2.5 pr-2 pl-3 shadow-xl"
          >
            {toast.tone === "done" ? (
              <CircleCheck size={18} aria-hidden className="mt-0.5 shrink-0 text-success" />
            ) : (
              <CircleAlert size={18} aria-label="Failed:" className="mt-0.5 shrink-0 text-danger" />
            )}
            <p className="min-w-0 flex-1 pt-0.5 break-words">{toast.text}</p>
            <IconButton icon={X} label="Close" onClick={() => close(toast.id)} />
          </div>
        ))}
      </div>
    </ToasterContext>
  );
}
