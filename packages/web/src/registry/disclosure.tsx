import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { classNames } from "../design/class-names.ts";

interface DisclosureProps {
  readonly label: ReactNode;
  readonly children: ReactNode;
}

/** Collapsed content, rendered and loaded when it is expanded. */
export function Disclosure({ label, children }: DisclosureProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="-ml-0.5 flex items-center gap-1 self-start rounded text-left text-ink-soft hover:text-ink"
      >
        <ChevronRight
          size={15}
          aria-hidden
          className={classNames("shrink-0 transition-transform", isOpen && "rotate-90")}
        />
        <span className="min-w-0 wrap-anywhere">{label}</span>
      </button>
      {isOpen && <div className="min-w-0 md:pl-5">{children}</div>}
    </div>
  );
}
