import { Info, X } from "lucide-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { Button, IconButton } from "../design/button.tsx";

interface NoticeBarProps {
  readonly text: string;
  /** What can be done about it: a button. */
  readonly action?: ReactNode;
  readonly onClose?: () => void;
}

/** Something to know about what is shown below. */
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

/** Says that nothing is lost, though something else is shown than one had left. */
export function SetAsideNotice({ onRestore }: { readonly onRestore: () => void }) {
  const [isClosed, setClosed] = useState(false);
  if (isClosed) return null;
  return (
    <NoticeBar
      text="This link shows other edits and test cases than you had here. Yours are kept."
      action={
        <Button size="small" className="shrink-0" onClick={onRestore}>
          Bring mine back
        </Button>
      }
      onClose={() => setClosed(true)}
    />
  );
}
