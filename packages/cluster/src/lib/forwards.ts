import { answerKey, type Clock, Delivery } from '@botwright/framework/cluster'
import { bestEffort } from './best-effort.ts'
import type { Work } from './broker.ts'
import type { Place } from './place.ts'
import { run, script } from './scripts.ts'

export interface ForwardsOptions extends Place {
  clock: Clock
  /** This machine's name now. */
  me: () => string
  /** Runs an event here, for another machine. */
  run(delivery: Delivery, asked: boolean): void | Promise<void>
}

/** Asks a machine to run an event, or tells how it went. */
type Letter =
  | { n: number; from: string; event: Work['event']; attempt: number; asked: boolean }
  | { n: number; taken: boolean }

/** A letter without an answer. */
interface Asked {
  settle: (how: boolean | 'lost') => void
  /** Nobody waits for its answer any more. */
  forget: () => void
}

/** A letter may get lost with its connection: it is sent again after this, and its reader knows it by its number. */
const AGAIN_MS = 1000
const LOOK_MS = 500
/** So long a reader remembers what it has run. */
const REMEMBER_MS = 60_000

/** KEYS: who waits. ARGV: the key, the machine. */
const forget = script<number>(
  'waits-forget',
  `if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end return redis.call('HDEL', KEYS[1], ARGV[1])`,
)

/**
 * Which machine's handlers wait for which answers, and how those get there: a conversation stays where it began. Who waits is kept
 * in a hash, and told to all machines, each of which has a copy: an event for which nobody waits costs one look into it.
 */
export class Forwards {
  readonly #o: ForwardsOptions
  readonly #mine = new Set<string>()
  /** Of all machines. */
  #all = new Map<string, string>()
  #writing: Promise<unknown> = Promise.resolve()
  #n = 0
  readonly #asked = new Map<number, Asked>()
  /** What runs here for others, or has: by machine and number. */
  readonly #taken = new Map<string, Promise<boolean>>()
  readonly #unhear: (() => void)[] = []
  #unhearMine: (() => void) | undefined
  running = 0

  constructor(options: ForwardsOptions) {
    this.#o = options
  }

  async open(): Promise<void> {
    const { link, keys } = this.#o
    this.#unhear.push(
      await link.hear(keys.channel('waits'), (text) => {
        const [on, machine = '', ...key] = text.split(' ')
        const name = key.join(' ')
        if (on === '+') this.#all.set(name, machine)
        else if (this.#all.get(name) === machine) this.#all.delete(name)
      }),
      link.watch({ back: () => void this.#mend() }),
    )
    await this.#load()
  }

  /** This machine has a new name: hears what is sent to it, and nobody waits here. What it asked by its former name is others' to ask. */
  async begin(): Promise<void> {
    const { link, keys, me } = this.#o
    this.#unhearMine?.()
    this.#forgetAsked()
    this.#mine.clear()
    this.#unhearMine = await link.hear(keys.channel(`to:${me()}`), (text) => this.#read(text))
  }

  waits(key: string, on: boolean): void {
    const { link, keys, me } = this.#o
    const machine = me()
    if (on) this.#mine.add(key)
    else this.#mine.delete(key)
    if (on) this.#all.set(key, machine)
    else if (this.#all.get(key) === machine) this.#all.delete(key)
    const kept = on ? link.redis.hset(keys.waits, key, machine) : run(link.redis, forget, [keys.waits], [key, machine])
    const told = link.redis.publish(keys.channel('waits'), `${on ? '+' : '-'} ${machine} ${key}`)
    // While Redis is away nobody hears of it: it is said again (`#mend`), or this machine's lease ends, too.
    this.#writing = bestEffort(Promise.all([this.#writing, kept, told]))
  }

  /** Everything that was said is known to the others: only then may the next event of a lane begin. */
  get told(): Promise<unknown> {
    return this.#writing
  }

  /** Has the event run by the machine whose handler waits for it. False: there is none, it is to be run here. `lost`: it may have run there. */
  async send(work: Work): Promise<boolean | 'lost'> {
    if (this.#all.size === 0) return false
    const key = answerKey(work.event)
    const machine = key === undefined ? undefined : this.#all.get(key)
    if (machine === undefined || machine === this.#o.me()) return false
    return this.#ask(machine, work)
  }

  /** The machine is gone: nobody waits there. Called by the leader. */
  async drop(machines: ReadonlySet<string>): Promise<void> {
    const { link, keys } = this.#o
    for (const [key, machine] of Object.entries(await link.redis.hgetall(this.#o.keys.waits)))
      if (machines.has(machine)) {
        await run(link.redis, forget, [keys.waits], [key, machine])
        await link.redis.publish(keys.channel('waits'), `- ${machine} ${key}`)
      }
  }

  close(): void {
    for (const unhear of this.#unhear) unhear()
    this.#unhearMine?.()
    this.#forgetAsked()
  }

  #forgetAsked(): void {
    for (const { forget } of this.#asked.values()) forget()
  }

  async #load(): Promise<void> {
    try {
      this.#all = new Map(Object.entries(await this.#o.link.redis.hgetall(this.#o.keys.waits)))
    } catch {
      // It is loaded again when Redis is back.
    }
  }

  /** What was said while Redis was away was not heard: says it again, then hears the others. */
  async #mend(): Promise<void> {
    const { link, keys, me } = this.#o
    try {
      const kept = await link.redis.hgetall(keys.waits)
      for (const key of this.#mine) if (kept[key] !== me()) this.waits(key, true)
      for (const [key, machine] of Object.entries(kept))
        if (machine === me() && !this.#mine.has(key)) this.waits(key, false)
      await this.told
    } catch {
      // It went away again.
    }
    await this.#load()
  }

  #ask(machine: string, { event, attempt, asked }: Work): Promise<boolean | 'lost'> {
    const { link, keys, clock, me } = this.#o
    const n = ++this.#n
    const letter: Letter = { n, from: me(), event, attempt, asked }
    const text = JSON.stringify(letter)
    const member = keys.member(Number(machine.slice(machine.lastIndexOf('.') + 1)))
    return new Promise((resolve) => {
      let sentAtMs = -Infinity
      let timer: { cancel(): void } | undefined
      let arrived = false
      const forget = () => {
        timer?.cancel()
        this.#asked.delete(n)
      }
      const settle = (how: boolean | 'lost') => {
        forget()
        resolve(how)
      }
      this.#asked.set(n, { settle, forget })
      const look = async () => {
        try {
          if (clock.monotonic() - sentAtMs >= AGAIN_MS) {
            sentAtMs = clock.monotonic()
            if ((await link.redis.publish(keys.channel(`to:${machine}`), text)) > 0) arrived = true
          }
          if ((await link.redis.exists(member)) === 0) return settle(arrived ? 'lost' : false)
        } catch {
          // Redis is away: this machine's lease decides.
        }
        if (this.#asked.has(n)) timer = clock.after(LOOK_MS, () => void look())
      }
      void look()
    })
  }

  #read(text: string): void {
    const letter = JSON.parse(text) as Letter
    if ('taken' in letter) return this.#asked.get(letter.n)?.settle(letter.taken)
    const { link, keys, clock } = this.#o
    const name = `${letter.from} ${letter.n}`
    let taken = this.#taken.get(name)
    if (!taken) {
      taken = this.#take(letter)
      this.#taken.set(name, taken)
      void taken.finally(() => clock.after(REMEMBER_MS, () => this.#taken.delete(name)))
    }
    void taken.then((how) => {
      const answer: Letter = { n: letter.n, taken: how }
      void bestEffort(link.redis.publish(keys.channel(`to:${letter.from}`), JSON.stringify(answer)))
    })
  }

  async #take({ event, attempt, asked }: Extract<Letter, { from: string }>): Promise<boolean> {
    if (!this.#mine.has(answerKey(event) ?? '')) return false
    this.running++
    try {
      await this.#o.run(new Delivery(event, attempt), asked)
      await this.told
    } finally {
      this.running--
    }
    return true
  }
}
