/** What a restricted program printed → what it lacked, and how it gets it. */
const HINTS: readonly (readonly [printed: RegExp, hint: string])[] = [
  [/ERR_DLOPEN_DISABLED|Use --allow-addons/, requests("load native addons", "addons")],
  [/No such built-in module: node:sqlite/, requests("use node:sqlite", "addons")],
  [
    /permission: 'ChildProcess'|Use --allow-child-process/,
    requests("start child processes", "child-process"),
  ],
  [/permission: 'WorkerThreads'|Use --allow-worker/, requests("start worker threads", "worker")],
  [
    /permission: 'FileSystemWrite'|Use --allow-fs-write/,
    "A build may write in os.tmpdir() and in its home folder only, and both are gone when it ends.",
  ],
  [
    /permission: 'FileSystemRead'|Use --allow-fs-read/,
    'A build may read its own files only: name those that it needs in package.json, "agate": {"include": […]}.',
  ],
];

function requests(what: string, permission: string): string {
  return `A build may not ${what} unless its package.json requests it: "agate": {"allow": ["${permission}"]}.`;
}

/** Why a restricted program failed, where the permission model was the cause; undefined otherwise. */
export function permissionHint(log: readonly string[]): string | undefined {
  return HINTS.find(([printed]) => log.some((line) => printed.test(line)))?.[1];
}

/** Adds each hint to the log once, after the first line that calls for it. */
export class PermissionHints {
  readonly #given = new Set<string>();

  /** A line to add after this one. */
  after(line: string): string | undefined {
    // Cheap for the others: a log may have many lines.
    if (!/permission|--allow-|ERR_DLOPEN|node:sqlite/.test(line)) return undefined;
    const hint = permissionHint([line]);
    if (hint === undefined || this.#given.has(hint)) return undefined;
    this.#given.add(hint);
    return `[agate] ${hint}`;
  }
}
