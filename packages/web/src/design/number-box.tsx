import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";
import { CONTROL_CLASS } from "./field.tsx";

interface NumberBoxProps
  extends Omit<ComponentProps<"input">, "value" | "onChange" | "onKeyDown" | "className"> {
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Called for arrow keys with 1 or -1, for Page Up and Page Down with 10 or -10. */
  readonly onStep: (steps: number) => void;
  readonly lowest?: number | undefined;
  readonly highest?: number | undefined;
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowUp: 1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
};

/**
 * A text input for a number. `<input type="number">` reports an empty value for invalid input, so that
 * the typed text would be lost.
 */
export function NumberBox(props: NumberBoxProps) {
  const { text, onText, onStep, lowest, highest, ...rest } = props;
  return (
    <input
      type="text"
      role="spinbutton"
      inputMode="decimal"
      autoComplete="off"
      spellCheck={false}
      aria-valuenow={withoutExponent(parseNumber(text))}
      aria-valuetext={text === "" ? "empty" : text}
      aria-valuemin={withoutExponent(lowest)}
      aria-valuemax={withoutExponent(highest)}
      value={text}
      onChange={(event) => onText(event.target.value)}
      onKeyDown={(event) => {
        const steps = STEPS[event.key];
        if (steps === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        onStep(event.shiftKey && Math.abs(steps) === 1 ? steps * 10 : steps);
      }}
      className={classNames(CONTROL_CLASS, "h-8 font-mono tabular-nums")}
      {...rest}
    />
  );
}

/** ARIA does not allow numbers such as 1e-7: they are left out, since `aria-valuetext` has the text. */
function withoutExponent(number: number | undefined): number | undefined {
  return String(number).includes("e") ? undefined : number;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** The number in a text; undefined if the text is no number, or the number is not finite. */
export function parseNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (!NUMBER.test(trimmed)) return undefined;
  const number = Number(trimmed);
  // JSON has no minus zero.
  return Number.isFinite(number) ? number + 0 : undefined;
}
