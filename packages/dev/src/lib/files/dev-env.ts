import { readEnvFile } from '@botwright/framework/start'

/** The variables of a bot under development: those of the environment, and those of its `.env` that the environment does not set. */
export class DevEnv {
  readonly #root: string
  readonly #env: NodeJS.ProcessEnv
  /** Names that `.env` cannot set. */
  readonly #outside: Set<string>
  #values = new Map<string, string>()

  constructor(root: string, env: NodeJS.ProcessEnv) {
    this.#root = root
    this.#env = env
    this.#outside = new Set(Object.keys(env))
  }

  /** Sets variables that `.env` can no longer override. */
  pin(variables: Readonly<Record<string, string>>): void {
    Object.assign(this.#env, variables)
    for (const name of Object.keys(variables)) this.#outside.add(name)
  }

  /** Reads `.env` again; returns the names of changed variables, in order. Throws `ERR_CONFIG` if it cannot be read. */
  read(): string[] {
    const values = new Map(Object.entries(readEnvFile(this.#root)))
    const names = [...new Set([...values.keys(), ...this.#values.keys()])]
    const changed = names.filter((name) => values.get(name) !== this.#values.get(name) && !this.#outside.has(name))
    for (const name of changed) {
      const value = values.get(name)
      if (value === undefined) delete this.#env[name]
      else this.#env[name] = value
    }
    this.#values = values
    return changed
  }
}
