import { Info, X } from "lucide-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { Button, IconButton } from "../design/button.tsx";

interface NoticeBarProps {
  readonly text: string;
  /** A button. */
  readonly action?: ReactNode;
  readonly onClose?: () => void;
}

/** A notice above the workbench. */
export function NoticeBar({ text, action, onClose }: NoticeBarProps) {
  return (
    <div
      role="status"
      className="flex items-start gap-2 border-y border-line bg-warning-soft py-1.5 pr-2 pl-4 text-warning md:pl-6"
    >
      <Info size={16} aria-hidden className="mt-1 shrink-0" />
      <p className="min-w-0 flex-1 pt-0.5 break-words">{text}</p>
      {action}
      {onClose && <IconButton icon={X} label="Close" onClick={onClose} />}
    </div>
  );
}

/** Offers to restore the user's own edits and test cases, which a link has replaced. */
export function SetAsideNotice({ onRestore }: { readonly onRestore: () => void }) {
  const [isClosed, setClosed] = useState(false);
  if (isClosed) return null;
  return (
    <NoticeBar
      text="This link replaced your edits and test cases. Yours are set aside."
      action={
        <Button size="small" className="shrink-0" onClick={onRestore}>
          Restore mine
        </Button>
      }
      onClose={() => setClosed(true)}
    />
  );
}
