import { createHash } from 'node:crypto'
import type { Clock } from '@botwright/clock'
import type { Command } from '@botwright/protocol/shapes'
import { hasCode } from '../../author/error-code.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import type { RegisterCommands } from '../../runtime/instance/stage-types.ts'
import type { ClusterMember } from '../../runtime/ports/cluster.ts'

/** Commands that some version of the code defines. */
interface CommandSet {
  /** The same for the same names and descriptions, in whatever order. */
  mark: string
  /** When an instance ran them for the first time. */
  sinceMs: number
  commands: readonly Command[]
}

export interface SharedCommandsOptions {
  member: ClusterMember
  store: StateStore
  clock: Clock
  log: Log
}

const SETS = 'commands:set:'
const REGISTERED = 'commands:registered'
/** The number of versions that are distinguished. */
const MOST_SETS = 20

/**
 * If instances run different code, the newest code decides which commands are registered: an old instance that restarts during a
 * rollout must not remove the new ones. When the last instance with the newest code has left, the newest remaining code decides.
 */
export class SharedCommands {
  readonly #o: SharedCommandsOptions
  /** Survives the loss of all stored data. */
  readonly #sinceMs = new Map<string, number>()
  #own: { mark: string; commands: readonly Command[] } | undefined
  #register: RegisterCommands | undefined
  #stopped = false

  constructor(options: SharedCommandsOptions) {
    this.#o = options
  }

  /** This instance runs these from now on. */
  async begin(commands: readonly Command[], register: RegisterCommands): Promise<void> {
    const plain = commands.map(({ name, description }) => ({ name, description }))
    this.#own = { mark: markOf(plain), commands: plain }
    this.#register = register
    try {
      await this.#turn(true)
    } catch (error) {
      // It rejoins, and registers the commands then.
      if (!hasCode(error, 'ERR_FENCED')) throw error
    }
  }

  /** Instances have joined or left. Never rejects. */
  async settle(): Promise<void> {
    if (!this.#own || this.#stopped) return
    try {
      await this.#turn(false)
    } catch (error) {
      if (this.#stopped || hasCode(error, 'ERR_FENCED', 'ERR_ABORTED')) return
      this.#o.log.warn({ error }, `the registered commands could not be checked: ${(error as Error).message}`)
    }
  }

  stop(): void {
    this.#stopped = true
  }

  async #turn(starts: boolean): Promise<void> {
    const { member, log } = this.#o
    const { mark } = this.#own!
    await member.runs(mark)
    await member.alone('commands', async () => {
      const { instances } = await member.cluster()
      const running = new Set([mark, ...instances.flatMap(({ code }) => (code === undefined ? [] : [code]))])
      const newest = (await this.#sets(running)).find((set) => running.has(set.mark))!
      if (starts && newest.mark === mark) return this.#registerSet(newest)
      if (starts) {
        const { id, version } = instances.find(({ code }) => code === newest.mark)!
        const text = `commands: left unchanged, because instance ${id} runs newer code (version ${version}). The commands of this instance are registered once no newer instance runs`
        log.info({ instance: id, version }, text)
      }
      if ((await this.#o.store.get(REGISTERED))?.value === newest.mark) return
      if (!starts) log.info({}, 'commands: instances have joined or left, which changed the newest running version')
      await this.#registerSet(newest)
    })
  }

  async #registerSet({ mark, commands }: CommandSet): Promise<void> {
    const { done } = await this.#register!(commands)
    if (done) await this.#o.store.set(REGISTERED, mark)
  }

  /** All that are known, the newest first. */
  async #sets(running: ReadonlySet<string>): Promise<CommandSet[]> {
    const { store, clock } = this.#o
    const { mark, commands } = this.#own!
    const sets = (await store.list(SETS)).map(({ value }) => value as CommandSet)
    if (!sets.some((set) => set.mark === mark)) {
      const sinceMs = this.#sinceMs.get(mark) ?? Math.max(clock.now(), ...sets.map((set) => set.sinceMs + 1))
      const own = { mark, sinceMs, commands }
      await store.set(SETS + mark, own)
      sets.push(own)
    }
    sets.sort((a, b) => b.sinceMs - a.sinceMs)
    for (const set of sets.slice(MOST_SETS)) if (!running.has(set.mark)) await store.delete(SETS + set.mark)
    this.#sinceMs.set(mark, sets.find((set) => set.mark === mark)!.sinceMs)
    return sets
  }
}

function markOf(commands: readonly Command[]): string {
  const lines = commands.map(({ name, description }) => JSON.stringify([name, description])).sort()
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)
}
