/** A share of a server's processes. Release it once. */
export interface RoomClaim {
  readonly count: number;
  release(): void;
}

/**
 * How many processes of builds a server may run. Those that drain, or are about to be replaced, do not
 * count: they end by themselves, and a blocked process must be replaced on a full server, too.
 */
export class ProcessRoom {
  readonly #most: number;
  #claimed = 0;

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** @returns undefined where there is no room for so many more. */
  claim(count: number): RoomClaim | undefined {
    if (this.#claimed + count > this.#most) return undefined;
    this.#claimed += count;
    let isReleased = false;
    return {
      count,
      release: () => {
        if (!isReleased) this.#claimed -= count;
        isReleased = true;
      },
    };
  }

  /** Why there is no room for so many more, and what to do. */
  refusal(count: number): string {
    const wanted = count === 1 ? "1 more process" : `${count} more processes`;
    return `There is no room for ${wanted}: this server runs ${this.#claimed} of at most ${this.#most}. Stop a build that is not needed, or start the server with a larger --max-processes.`;
  }
}
