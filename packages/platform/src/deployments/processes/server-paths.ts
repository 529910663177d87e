import { homedir } from "node:os";
import { dirname, sep } from "node:path";
import { pathToFileURL } from "node:url";

/** A folder of the server, and what is shown in its place. */
export type ShownFolder = readonly [folder: string, shown: string];

/**
 * Makes a function that replaces paths of the server in what builds and npm print: it is shown to users
 * who deploy, and they see `app.js:3:7` instead of where the server keeps its files. `.` as what is shown
 * makes paths relative.
 *
 * @example
 * const hide = hidePaths([["/data/builds/7", "."], ["/data", "<data>"]]);
 * hide("at file:///data/builds/7/app.js:3:7"); // "at app.js:3:7"
 */
export function hidePaths(folders: readonly ShownFolder[]): (text: string) => string {
  const shown = new Map<string, string>();
  for (const [folder, instead] of folders) {
    // The root is part of every path.
    if (dirname(folder) === folder) continue;
    for (const spelling of spellingsOf(folder)) {
      if (!shown.has(spelling)) shown.set(spelling, instead);
    }
  }
  const longestFirst = [...shown.keys()].sort((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return (text) => text;
  // Not where a name goes on: /data2 is another folder than /data.
  const pattern = new RegExp(`(${longestFirst.map(escaped).join("|")})([/\\\\]|(?![\\w.%-]))`, "g");
  return (text) =>
    text.replaceAll(pattern, (_, folder: string, end: string) => {
      const instead = shown.get(folder) ?? "";
      return instead === "." && end !== "" ? "" : instead + end;
    });
}

/** As a path and as the URL that stack traces have. */
function spellingsOf(folder: string): readonly string[] {
  const url = pathToFileURL(folder).href;
  return sep === "\\" ? [folder, folder.replaceAll("\\", "/"), url] : [folder, url];
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** Folders of the server that neither builds nor their packages are in. */
export function platformFolders(): readonly ShownFolder[] {
  return [
    [import.meta.dirname, "<agate>"],
    [dirname(process.execPath), "<node>"],
    [homedir(), "<home>"],
  ];
}
