import { Square } from "lucide-react";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { Button } from "../../design/button.tsx";

/** Marks the buttons that run what a {@link StopButton} near them stops. */
export const RUNS = { "data-runs": "" };

interface StopButtonProps {
  readonly size?: "small" | "normal";
  readonly className?: string;
  readonly onStop: () => void;
  readonly children: ReactNode;
}

/** It is there while something runs. With the focus on it, that goes to the nearest button that runs it again. */
export function StopButton({ size = "normal", className, onStop, children }: StopButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const element = button.current;
    return () => {
      // Before it is taken away, so it still has the focus.
      if (element !== null && document.activeElement === element) nearestRun(element)?.focus();
    };
  }, []);
  return (
    <Button ref={button} size={size} className={className} onClick={onStop}>
      <Square size={size === "small" ? 12 : 13} aria-hidden />
      {children}
    </Button>
  );
}

function nearestRun(element: HTMLElement): HTMLElement | null {
  for (let around = element.parentElement; around !== null; around = around.parentElement) {
    const run = around.querySelector<HTMLElement>("[data-runs]");
    if (run !== null) return run;
  }
  return null;
}
