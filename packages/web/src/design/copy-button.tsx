import { Check, Copy } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { IconButton } from "./button.tsx";
import { useToaster } from "./toaster.tsx";

const SHOWN_MS = 1500;

interface CopyButtonProps {
  /** What is copied: "trace id". */
  readonly what: string;
  /** A function for a text that is expensive to build: it is called on copy. */
  readonly text: string | (() => string);
}

/** Copies a text, and confirms it in its label. */
export function CopyButton({ what, text }: CopyButtonProps) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  useEffect(() => {
    if (state === "ready") return;
    const timer = setTimeout(() => setState("ready"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const label = { ready: `Copy ${what}`, copied: "Copied", failed: "Copy failed" }[state];
  return (
    <IconButton
      icon={state === "copied" ? Check : Copy}
      label={label}
      aria-live="polite"
      onClick={() =>
        // `navigator.clipboard` is undefined on plain HTTP from another host.
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

/** A shell command with a copy button. */
export function CommandLine({ command }: { readonly command: string }) {
  return (
    <div className="flex max-w-full items-center justify-between gap-2 rounded-md bg-sunken py-1 pr-1 pl-3 text-left">
      <code className="min-w-0 font-mono text-[0.93rem] break-all text-ink">{command}</code>
      <CopyButton what={`the command ${command}`} text={command} />
    </div>
  );
}

/** Copies a text, and shows a toast with the result. */
export function useCopy(): (text: string, done: string) => void {
  const toaster = useToaster();
  return useCallback(
    (text: string, done: string) => {
      // `navigator.clipboard` is undefined on plain HTTP from another host.
      const written = navigator.clipboard?.writeText(text) ?? Promise.reject();
      written.then(
        () => toaster.done(done),
        () => toaster.failed("Copy failed: the browser denied access to the clipboard."),
      );
    },
    [toaster],
  );
}
