/** Gives out names, each once: the second `run_a_b` is `run_a_b_2`. */
export class UniqueNames {
  readonly #taken = new Set<string>();

  take(wanted: string): string {
    let name = wanted;
    for (let n = 2; this.#taken.has(name); n += 1) name = `${wanted}_${n}`;
    this.#taken.add(name);
    return name;
  }
}
