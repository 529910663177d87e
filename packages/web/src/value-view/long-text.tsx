import { useState } from "react";
import { classNames } from "../design/class-names.ts";

const SHOWN_LINES = 40;
const TEXT_CLASS = "min-w-0 break-words whitespace-pre-wrap";

interface LongTextProps {
  readonly text: string;
  /** About how many characters are shown before it is unfolded. */
  readonly limit?: number;
  readonly className?: string;
}

/**
 * A text with its line breaks, aligned by the direction of its script. A long one is folded; unfolded, it
 * is laid out as it is scrolled to.
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

/** All of a text, with its line breaks, laid out as it is scrolled to. */
export function WholeText({ text }: { readonly text: string }) {
  return (
    <div dir="auto" className={TEXT_CLASS}>
      <Pieces text={text} />
    </div>
  );
}

function Pieces({ text }: { readonly text: string }) {
  const pieces = textPieces(text);
  // What is laid out at once anyway must not take more room than it needs until then.
  if (pieces.length <= 1) return text;
  return pieces.map((piece, index) => (
    <div
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places.
      key={index}
      style={{ contentVisibility: "auto", containIntrinsicSize: "auto 2000px" }}
    >
      {piece}
    </div>
  ));
}

/** How much of a text is shown before it is unfolded. */
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

/** About how long a piece is: short enough to be laid out without a pause. */
const PIECE_LENGTH = 20_000;
/** How far back a better place to cut is looked for. */
const SEARCHED = 2000;

/**
 * A long text cut into pieces that the browser lays out one by one, when they are scrolled to. Cuts
 * are at the ends of lines or words where there are any, and never inside of a character.
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

/** The beginning of a text, not cut inside of a character. */
export function textStart(text: string, length: number): string {
  return text.slice(0, isInsideOfPair(text, length) ? length - 1 : length);
}

function cutAfter(text: string, from: number): number {
  const to = from + PIECE_LENGTH;
  if (to >= text.length) return text.length;
  for (const mark of ["\n", " "]) {
    const at = text.lastIndexOf(mark, to - 1);
    if (at >= to - SEARCHED) return at + 1;
  }
  return isInsideOfPair(text, to) ? to - 1 : to;
}

function isInsideOfPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before < 0xdc00 && at < text.length;
}
