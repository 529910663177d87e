import { classNames } from "../design/class-names.ts";
import type { InputMode } from "./use-input-mode.ts";

const NAMES = [
  ["form", "Form"],
  ["json", "JSON"],
] as const;

/** Fields, or everything as JSON; nothing where there are no fields. */
export function ModeSwitch({ mode, isChoice, onSwitch }: InputMode) {
  if (!isChoice) return null;
  return (
    <fieldset
      aria-label="Edit the inputs as"
      className="inline-flex rounded-md border border-line bg-sunken p-0.5"
    >
      {NAMES.map(([name, text]) => (
        <button
          key={name}
          type="button"
          aria-pressed={mode === name}
          onClick={() => name !== mode && onSwitch(name)}
          className={classNames(
            "h-6 rounded px-2 text-[0.93rem] font-medium",
            mode === name ? "bg-raised text-ink shadow-sm" : "text-ink-soft hover:text-ink",
          )}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
