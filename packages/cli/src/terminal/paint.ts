import { styleText } from "node:util";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

/** Colours a text where the stream shows colours; NO_COLOR and FORCE_COLOR are obeyed. */
export type Paint = (style: Style, text: string) => string;

/** Colours for one stream: the other one may well be a file. */
export function paintFor(stream: NodeJS.WritableStream): Paint {
  return (style, text) => (text === "" ? "" : styleText(style, text, { stream }));
}
