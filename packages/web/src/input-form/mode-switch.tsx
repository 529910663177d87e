import { classNames } from "../design/class-names.ts";

type Mode = "form" | "json";

interface ModeSwitchProps {
  readonly mode: Mode;
  /** Why the other one cannot be shown right now. */
  readonly refusal: string | null;
  readonly onSwitch: (mode: Mode) => void;
}

const NAMES = [
  ["form", "Form"],
  ["json", "JSON"],
] as const;

/** Fields, or everything as JSON. */
export function ModeSwitch({ mode, refusal, onSwitch }: ModeSwitchProps) {
  return (
    <div className="flex flex-col items-end gap-1">
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
      {refusal !== null && (
        <p role="alert" className="text-right text-[0.93rem] text-danger">
          {refusal}
        </p>
      )}
    </div>
  );
}
