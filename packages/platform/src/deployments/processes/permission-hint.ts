/** What a restricted program printed → what it lacked, and how it gets it. */
const HINTS: readonly (readonly [printed: RegExp, hint: string])[] = [
  [/ERR_DLOPEN_DISABLED/, requests("load native addons", "addons")],
  [/No such built-in module: node:sqlite/, requests("use node:sqlite", "addons")],
  [/permission: 'ChildProcess'/, requests("start child processes", "child-process")],
  [/permission: 'WorkerThreads'/, requests("start worker threads", "worker")],
  [
    /permission: 'FileSystemWrite'/,
    "A build may write in os.tmpdir() and in its home folder only, and both are gone when it ends.",
  ],
  [
    /permission: 'FileSystemRead'/,
    'A build may read its own files only: name those that it needs in package.json, "agate": {"include": […]}.',
  ],
];

function requests(what: string, permission: string): string {
  return `A build may not ${what} unless its package.json requests it: "agate": {"allow": ["${permission}"]}.`;
}

/** Why a restricted program ended, where the permission model was the cause; undefined otherwise. */
export function permissionHint(log: readonly string[]): string | undefined {
  return HINTS.find(([printed]) => log.some((line) => printed.test(line)))?.[1];
}
