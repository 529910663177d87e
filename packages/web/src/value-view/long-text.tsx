import { useState } from "react";
import { classNames } from "../design/class-names.ts";

const SHOWN_LINES = 40;
const TEXT_CLASS = "min-w-0 break-words whitespace-pre-wrap";

interface LongTextProps {
  readonly text: string;
  /** About how many characters are shown at first. */
  readonly limit?: number;
  readonly className?: string;
}

/**
 * A text with its line breaks, aligned by the direction of its script. A long one is cut off until the user
 * expands it.
 */
export function LongText({ text, limit = 2000, className }: LongTextProps) {
  const [isWhole, setWhole] = useState(false);
  const length = shownLength(text, limit);
  const isLong = length < text.length;
  return (
    <div dir="auto" className={classNames(TEXT_CLASS, className)}>
      {isWhole && isLong ? <Pieces text={text} /> : isLong ? textStart(text, length) : text}
      {isLong && (
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
          className="mt-1 block rounded font-sans font-medium text-accent hover:underline"
        >
          {isWhole ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}
        </button>
      )}
    </div>
  );
}

/** A whole text, laid out as it is scrolled to. */
export function WholeText({ text }: { readonly text: string }) {
  return (
    <div dir="auto" className={TEXT_CLASS}>
      <Pieces text={text} />
    </div>
  );
}

function Pieces({ text }: { readonly text: string }) {
  const pieces = textPieces(text);
  // A short text must not reserve space.
  if (pieces.length <= 1) return text;
  return pieces.map((piece, index) => (
    <div
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text never move.
      key={index}
      style={{ contentVisibility: "auto", containIntrinsicSize: "auto 2000px" }}
    >
      {piece}
    </div>
  ));
}

/** How much of a text is shown at first. */
function shownLength(text: string, limit: number): number {
  if (text.length <= limit * 1.5 && !hasManyLines(text)) return text.length;
  let end = 0;
  for (let line = 0; line < SHOWN_LINES; line += 1) {
    const next = text.indexOf("\n", end);
    if (next < 0) return Math.min(text.length, limit);
    end = next + 1;
  }
  return Math.min(end - 1, limit);
}

function hasManyLines(text: string): boolean {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines > SHOWN_LINES * 1.5;
}

/** Short enough to lay out without a pause. */
const PIECE_LENGTH = 20_000;
/** How far back to look for a line or word end. */
const SEARCHED = 2000;

/**
 * Splits a long text into pieces that the browser lays out when they are scrolled to. It splits at line or
 * word ends if there are any, and never inside a character.
 */
export function textPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = cutAfter(text, from);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/** The start of a text, never cut inside a character. */
export function textStart(text: string, length: number): string {
  return text.slice(0, isInsidePair(text, length) ? length - 1 : length);
}

function cutAfter(text: string, from: number): number {
  const to = from + PIECE_LENGTH;
  if (to >= text.length) return text.length;
  for (const mark of ["\n", " "]) {
    const at = text.lastIndexOf(mark, to - 1);
    if (at >= to - SEARCHED) return at + 1;
  }
  return isInsidePair(text, to) ? to - 1 : to;
}

function isInsidePair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before < 0xdc00 && at < text.length;
}
