import { Square } from "lucide-react";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { Button } from "../../design/button.tsx";

/** Marks run buttons, which a {@link StopButton} passes its focus to. */
export const RUNS = { "data-runs": "" };

interface StopButtonProps {
  readonly size?: "small" | "normal";
  readonly className?: string;
  readonly onStop: () => void;
  readonly children: ReactNode;
}

/** Shown while something runs. When it goes, its focus moves to the nearest run button. */
export function StopButton({ size = "normal", className, onStop, children }: StopButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const element = button.current;
    return () => {
      // Runs before the button is removed, while it still has the focus.
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
