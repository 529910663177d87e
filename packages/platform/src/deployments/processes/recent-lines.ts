/** The last lines of something, for a message about its end. */
export class RecentLines {
  readonly #most: number;
  #lines: string[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(line: string): void {
    this.#lines.push(line);
    // In strides: taking one off the front for every line would move all of them each time.
    if (this.#lines.length >= 2 * this.#most) this.#lines = this.#lines.slice(-this.#most);
  }

  /** Oldest first. */
  list(): readonly string[] {
    return this.#lines.slice(-this.#most);
  }
}
