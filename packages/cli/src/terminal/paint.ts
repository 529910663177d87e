import { WriteStream } from "node:tty";
import { styleText } from "node:util";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

/** Colours a text where the stream shows colours; NO_COLOR and FORCE_COLOR are obeyed. */
export type Paint = (style: Style, text: string) => string;

/** Colours for one stream: the other one may well be a file. */
export function paintFor(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Paint {
  const isColoured = showsColours(stream, env);
  return (style, text) =>
    text === "" || !isColoured ? text : styleText(style, text, { validateStream: false });
}

/** As `styleText` decides for a stream, but by the variables of the command. */
function showsColours(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  // The method of terminals, for pipes too: it reads nothing but the variables.
  const depth = () => WriteStream.prototype.getColorDepth.call(stream, env);
  return (env.FORCE_COLOR !== undefined || stream.isTTY) && depth() > 2;
}
