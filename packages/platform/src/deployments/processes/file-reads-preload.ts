import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

// Loaded into every build's process before its own program, with `--import`. A build has the sources
// of a program, and of its other files those that were named when it was packed. Here it is noticed
// where one was forgotten: `agate dev` is told of every file that is read, and a deployed build that
// misses one prints what to do.

const MOST_HINTS = 10;
/** In the query of this file's address: reads are reported. */
const REPORT = "report";
/** Node reads sources for stack traces; the SDK looks for its file; names with a dot are not packed. */
const IS_NONE_OF_THE_PROGRAM =
  /(?:^|\/)(?:\.|node_modules\/)|\.(?:[cm]?[jt]sx?|map)$|^(?:agate\.config|package|package-lock)\.json$/;

type Function = (...args: unknown[]) => unknown;
type Functions = Record<string, Function>;

const folder = process.cwd();
// By the address of this file, which worker threads of the program are started with, too.
const isDevelopment = new URL(import.meta.url).searchParams.has(REPORT);
const told = new Set<string>();

for (const name of ["openSync", "readFileSync"]) {
  replace(fs as unknown as Functions, name, (call, path) => {
    try {
      const result = call();
      noteRead(path);
      return result;
    } catch (error) {
      noteFailure(path, error);
      throw error;
    }
  });
}
for (const name of ["open", "readFile"]) {
  replace(fs as unknown as Functions, name, (call, path, args) => {
    const callback = args.at(-1);
    if (typeof callback !== "function") return call();
    args[args.length - 1] = (error: unknown, ...results: unknown[]) => {
      if (error) noteFailure(path, error);
      else noteRead(path);
      callback(error, ...results);
    };
    return call();
  });
  replace(fs.promises as unknown as Functions, name, async (call, path) => {
    try {
      const result = await call();
      noteRead(path);
      return result;
    } catch (error) {
      noteFailure(path, error);
      throw error;
    }
  });
}
// For those who import single names.
syncBuiltinESMExports();

/** Puts a function in the place of one of Node's, for calls that read a file by its path. */
function replace(
  holder: Functions,
  name: string,
  instead: (call: () => unknown, path: string, args: unknown[]) => unknown,
): void {
  const original = holder[name] as Function;
  // A proxy keeps its name, its length and what else hangs on it.
  holder[name] = new Proxy(original, {
    apply(target, self, args: unknown[]) {
      const path = isForReading(name, args[1]) ? pathOf(args[0]) : undefined;
      const call = () => Reflect.apply(target, self, args) as unknown;
      return path === undefined ? call() : instead(call, path, args);
    },
  });
}

function isForReading(name: string, flags: unknown): boolean {
  if (!name.startsWith("open")) return true;
  if (typeof flags === "number") return (flags & 3) === fs.constants.O_RDONLY;
  return typeof flags !== "string" || flags === "r" || flags === "rs";
}

/** Relative to the program's folder; undefined for files outside of it, and for those of Agate and Node. */
function pathOf(given: unknown): string | undefined {
  const file = given instanceof URL && given.protocol === "file:" ? fileURLToPath(given) : given;
  if (typeof file !== "string") return undefined;
  const path = relative(folder, resolve(file)).split(sep).join("/");
  if (path === "" || path.startsWith("../") || IS_NONE_OF_THE_PROGRAM.test(path)) return undefined;
  return path;
}

function noteRead(path: string): void {
  if (!isDevelopment || told.has(path)) return;
  told.add(path);
  process.send?.({ kind: "agate:file-read", path });
}

function noteFailure(path: string, error: unknown): void {
  if (isDevelopment || (error as NodeJS.ErrnoException).code !== "ENOENT") return;
  if (told.has(path) || told.size >= MOST_HINTS) return;
  told.add(path);
  process.stderr.write(
    `agate: ${JSON.stringify(path)} is not in this build. If the program needs it, add "agate": {"include": [${JSON.stringify(path)}]} to package.json and deploy again.\n`,
  );
}
