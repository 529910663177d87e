import { Info, X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../design/button.tsx";

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
