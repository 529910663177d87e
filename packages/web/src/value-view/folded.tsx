import { ChevronDown, ChevronRight, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useState } from "react";

interface FoldedProps {
  readonly summary: string;
  readonly icon?: LucideIcon;
  readonly children: ReactNode;
}

/** What is less important: one line that opens. What is inside is made when it does. */
export function Folded({ summary, icon: Icon, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(false);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex max-w-full items-center gap-1 rounded text-[0.93rem] text-ink hover:underline"
      >
        <Chevron size={14} aria-hidden className="shrink-0" />
        {Icon && <Icon size={14} aria-hidden className="shrink-0" />}
        <bdi className="truncate">{summary}</bdi>
      </button>
      {isOpen && <div className="mt-1 rounded-md bg-surface px-2 py-1.5">{children}</div>}
    </div>
  );
}
