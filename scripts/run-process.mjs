import { spawn } from "node:child_process";
import { constants } from "node:os";

/** How soon an orphan notices. */
const PARENT_CHECK_MS = 200;

/**
 * Runs a program in the foreground, hands it the signals this process gets, and resolves with its
 * exit code.
 *
 * `ownGroup` keeps the terminal's Ctrl-C from the program, so that it comes once, from here: for a
 * program to which a second one means "do not finish what you are doing". Even so a Ctrl-C reaches
 * this process twice, from the terminal and from npm: what comes within `samePressMs` is one.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ ownGroup?: boolean, samePressMs?: number }} [options]
 * @returns {Promise<number>}
 */
export function runProcess(program, args, { ownGroup = false, samePressMs = 500 } = {}) {
  // Windows has neither groups nor signals to hand on: there the console tells everyone.
  const windows = process.platform === "win32";
  const child = spawn(program, args, { stdio: "inherit", detached: ownGroup && !windows });

  /** @type {Map<NodeJS.Signals, number>} */
  const passedAt = new Map();
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => {
    const now = performance.now();
    if (now - (passedAt.get(signal) ?? -Infinity) < samePressMs) return;
    passedAt.set(signal, now);
    if (!windows) child.kill(signal);
  };
  // npm hands a signal to its shell, and some shells die of it without telling anyone: then this
  // process is left with another parent, and the program would run on for ever.
  const parent = process.ppid;
  const parentCheck = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(parentCheck);
    pass("SIGTERM");
  }, PARENT_CHECK_MS);

  const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);
  for (const signal of signals) process.on(signal, pass);

  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      clearInterval(parentCheck);
      for (const name of signals) process.off(name, pass);
      resolve(code ?? 128 + constants.signals[signal ?? "SIGKILL"]);
    });
  });
}
