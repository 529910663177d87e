import { Radio } from "lucide-react";
import { Button } from "../../design/button.tsx";
import { classNames } from "../../design/class-names.ts";

interface LiveButtonProps {
  readonly isOn: boolean;
  readonly isBroken: boolean;
  readonly onToggle: () => void;
}

/** Whether new traces appear by themselves. */
export function LiveButton({ isOn, isBroken, onToggle }: LiveButtonProps) {
  return (
    <Button
      aria-pressed={isOn}
      onClick={onToggle}
      title={isOn ? "New traces appear by themselves" : "Let new traces appear by themselves"}
      className={classNames(isOn && "border-accent! bg-accent-soft! text-accent!")}
    >
      <Radio
        size={15}
        aria-hidden
        className={classNames(isOn && !isBroken && "motion-safe:animate-pulse")}
      />
      Live
    </Button>
  );
}
