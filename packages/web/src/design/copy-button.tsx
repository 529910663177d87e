import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./icon-button.tsx";

const SHOWN_MS = 1500;

interface CopyButtonProps {
  /** What is copied: "trace id". */
  readonly what: string;
  /** A function where making the text takes a while: it is made when it is copied. */
  readonly text: string | (() => string);
}

/** Copies a text, and says that it has. */
export function CopyButton({ what, text }: CopyButtonProps) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  useEffect(() => {
    if (state === "ready") return;
    const timer = setTimeout(() => setState("ready"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const label = { ready: `Copy ${what}`, copied: "Copied", failed: "The browser refused" }[state];
  return (
    <IconButton
      icon={state === "copied" ? Check : Copy}
      label={label}
      aria-live="polite"
      onClick={() =>
        // Not there over plain HTTP from another machine.
        Promise.resolve(navigator.clipboard?.writeText(written(text)) ?? Promise.reject()).then(
          () => setState("copied"),
          () => setState("failed"),
        )
      }
    />
  );
}

function written(text: string | (() => string)): string {
  return typeof text === "string" ? text : text();
}
