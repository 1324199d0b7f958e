// Random sequences of operations, against the model of the protocol and against the scripts on Redis.

import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { GIVE_UP_MS } from '../../protocol/clicks.ts'
import * as model from '../../protocol/model.ts'
import { keysOf } from '../redis/keys.ts'
import * as scripts from './protocol-scripts.ts'
import { describeWithRedis, startRedis } from '../redis-rig.test.fixture.ts'

const PARTITIONS = 3
const SEQUENCES = 12
const STEPS = 60
const instances = ['a.1', 'b.2', 'c.3']
const clicks = ['k1', 'k2', 'k3', 'k4']
/** Before the time at which a click is given up, after the time at which its turn is due, and in the future. */
const delays = [-60_000, -2500, 60_000]

function seeded(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number) => Math.floor(next() * count)
  const pick = <T>(from: readonly T[]): T => from[below(from.length)]!
  const chance = (part: number) => next() < part
  return { below, pick, chance }
}

/** Both sides, and the ids that Redis gave to the model's entries. */
class Rig {
  readonly plain = model.newModel()
  readonly #ids = new Map<number, string>()
  readonly redis: Redis
  readonly keys: ReturnType<typeof keysOf>
  readonly #random: ReturnType<typeof seeded>
  #lastEvent = 0
  #writes = 0

  constructor(redis: Redis, seed: number) {
    this.redis = redis
    this.keys = keysOf('http://chat.test', `model ${seed}`)
    this.#random = seeded(seed)
  }

  /** Does the same on both sides and compares the replies. */
  async step(): Promise<string> {
    const [seconds, micros] = await this.redis.time()
    this.plain.nowMs = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
    const { pick } = this.#random
    const steps = [
      this.#publish,
      this.#publish,
      this.#assign,
      this.#assign,
      this.#lease,
      this.#commit,
      this.#commit,
      this.#commit,
      this.#release,
      this.#pardon,
      this.#savePosition,
      this.#takeTurn,
      this.#removeClicks,
      this.#sweep,
      this.#newTerm,
    ]
    const [name, ours, theirs] = await pick(steps).call(this)
    expect({ name, reply: theirs }).toEqual({ name, reply: ours })
    await this.#compare(name)
    return name
  }

  get #term(): number {
    return this.#random.chance(0.9) ? this.plain.term : this.plain.term - 1
  }

  /** Of a write: sometimes one that came before. */
  get #number(): number {
    return this.#random.chance(0.9) ? ++this.#writes : this.#random.below(this.#writes) + 1
  }

  async #newTerm(): Promise<[string, unknown, unknown]> {
    return ['newTerm', ++this.plain.term, await this.redis.incr(this.keys.terms)]
  }

  async #lease(): Promise<[string, unknown, unknown]> {
    const instance = this.#random.pick(instances)
    const ends = this.#random.chance(0.3)
    if (ends) this.plain.leases.delete(instance)
    else this.plain.leases.add(instance)
    if (ends) await this.redis.del(this.#leaseOf(instance))
    else await this.redis.set(this.#leaseOf(instance), instance)
    return ['lease', 0, 0]
  }

  async #publish(): Promise<[string, unknown, unknown]> {
    const { below, pick, chance } = this.#random
    const events: model.Published[] = Array.from({ length: 1 + below(4) }, () => {
      const id = chance(0.2) && this.#lastEvent > 0 ? 1 + below(this.#lastEvent) : ++this.#lastEvent
      const interactionId = `${pick(clicks)}-${id}`
      return {
        name: `0.${id}`,
        id,
        partition: below(PARTITIONS),
        event: `event ${id}`,
        ...(chance(0.4) && { click: { interactionId, delayMs: pick(delays), click: `click ${id}` } }),
      }
    })
    const batch = { term: this.#term, number: this.#number, events }
    return ['publish', model.publish(this.plain, batch), await scripts.publish(this.redis, this.keys, batch)]
  }

  async #savePosition(): Promise<[string, unknown, unknown]> {
    const { below, chance } = this.#random
    const position = {
      term: this.#term,
      number: this.#number,
      after: below(this.#lastEvent + 1),
      era: 0,
      reset: chance(0.1),
    }
    const theirs = await scripts.savePosition(this.redis, this.keys, { ...position, savedAtMs: 0 })
    return ['savePosition', model.savePosition(this.plain, position), theirs]
  }

  async #assign(): Promise<[string, unknown, unknown]> {
    const { below, pick, chance } = this.#random
    const changes = Array.from({ length: 1 + below(2) }, () => {
      const partition = below(PARTITIONS)
      const owner = this.plain.owners.get(partition) ?? ''
      const move = this.plain.moves.get(partition) ?? ''
      const epoch = Number(owner.split('#')[1] ?? 0) + 1
      return {
        partition,
        from: { owner: chance(0.1) ? 'other.9#1' : owner, move: chance(0.1) ? 'other.9' : move },
        to: chance(0.7) ? { owner: `${pick(instances)}#${epoch}`, move: '' } : { owner, move: pick(instances) },
      }
    }).filter(({ to }) => to.owner !== '')
    const batch = { term: this.#term, changes }
    const ours = model.applyAssignments(this.plain, batch)
    return ['assign', ours, await scripts.applyAssignments(this.redis, this.keys, batch)]
  }

  async #release(): Promise<[string, unknown, unknown]> {
    const due = this.#someOwned()
    if (due.length === 0) return ['release', 0, 0]
    return ['release', model.release(this.plain, due), await scripts.release(this.redis, this.keys, due)]
  }

  async #commit(): Promise<[string, unknown, unknown]> {
    const { pick, chance, below } = this.#random
    const instance = pick(instances)
    const parts = this.#someOwned(instance).map(({ partition, owner }) => {
      const entries = this.plain.streams.get(partition) ?? []
      return {
        partition,
        owner,
        begin: entries
          .filter(() => chance(0.5))
          .map(({ id }) => ({ entry: id, begun: chance(0.3) ? `${2 + below(3)},1` : '1' })),
        finish: entries.filter(() => chance(0.3)).map(({ id }) => id),
      }
    })
    const number = this.#number
    const ours = model.commit(this.plain, { instance, number, partitions: parts })
    const theirs = await scripts.commit(this.redis, this.keys, {
      instance,
      lease: this.#leaseOf(instance),
      number,
      partitions: parts.map((part) => ({
        ...part,
        begin: part.begin.map(({ entry, begun }) => ({ entry: this.#ids.get(entry)!, begun })),
        finish: part.finish.map((entry) => this.#ids.get(entry)!),
      })),
    })
    return ['commit', ours, theirs]
  }

  async #pardon(): Promise<[string, unknown, unknown]> {
    const { chance } = this.#random
    const entries = [...this.plain.begun].flatMap(([partition, begun]) =>
      [...begun]
        .filter(() => chance(0.5))
        .map(([entry, from]) => ({ partition, entry, from: chance(0.8) ? from : '7', to: `${from.split(',')[0]},2` })),
    )
    const theirs = entries.map(({ entry, ...rest }) => ({ ...rest, entry: this.#ids.get(entry)! }))
    if (entries.length === 0) return ['pardon', 0, 0]
    return [
      'pardon',
      model.pardonEntries(this.plain, entries),
      await scripts.pardonEntries(this.redis, this.keys, theirs),
    ]
  }

  async #takeTurn(): Promise<[string, unknown, unknown]> {
    const { pick, chance } = this.#random
    if (this.plain.acks.size === 0) return ['takeTurn', 0, 0]
    const [interactionId, known] = pick([...this.plain.acks])
    const turn = { interactionId, turnAtMs: chance(0.8) ? known : known - 1 }
    const [ours, theirs] = [model.takeTurn(this.plain, turn), await scripts.takeTurn(this.redis, this.keys, turn)]
    return ['takeTurn', ours > 0, theirs > 0]
  }

  async #removeClicks(): Promise<[string, unknown, unknown]> {
    const { chance } = this.#random
    const ids = ['none', ...[...this.plain.acks.keys()].filter(() => chance(0.2))]
    return ['removeClicks', model.removeClicks(this.plain, ids), await scripts.removeClicks(this.redis, this.keys, ids)]
  }

  async #sweep(): Promise<[string, unknown, unknown]> {
    // After a long time without an instance, or as one that ran all the time.
    const sinceMs = this.#random.chance(0.5) ? 0 : this.plain.nowMs
    const theirs = await scripts.sweepClicks(this.redis, this.keys, { sinceMs })
    this.plain.nowMs = await this.#timeOfSweep(theirs)
    const ours = model.sweepClicks(this.plain, { sinceMs })
    const shown = ({ taken, nextTurnAtMs }: model.Swept) => ({
      none: nextTurnAtMs === -1,
      taken: taken.map(({ interactionId, click }) => `${interactionId} ${click}`).sort(),
    })
    return ['sweep', shown(ours), shown(theirs)]
  }

  /** Redis' time in a sweep, as far as its outcome depends on it: turns become due and are given up at their time, however long a step takes. */
  async #timeOfSweep({ taken }: model.Swept): Promise<number> {
    const [one] = taken
    if (one) return one.turnAtMs
    const left = new Set(await this.redis.zrange(this.keys.acks, '0', '-1'))
    const givenUp = [...this.plain.acks.keys()].filter((id) => !left.has(id))
    const dueAtMs = givenUp.map((id) => this.plain.clicks.get(id)?.dueAtMs ?? 0)
    return Math.max(this.plain.nowMs, ...dueAtMs.map((ms) => ms + GIVE_UP_MS + 1))
  }

  #leaseOf(instance: string): string {
    return this.keys.member(Number(instance.split('.')[1]))
  }

  /** Partitions with their owner, or with a former one. */
  #someOwned(instance?: string): { partition: number; owner: string }[] {
    const { chance } = this.#random
    return [...this.plain.owners].flatMap(([partition, owner]) => {
      if (!chance(0.6) || (instance !== undefined && !owner.startsWith(`${instance}#`) && chance(0.9))) return []
      return [{ partition, owner: chance(0.95) ? owner : `${owner}0` }]
    })
  }

  /** All keys, with the model's ids for entries. Times of turns are taken over: the two clocks differ by some milliseconds. */
  async #compare(name: string): Promise<void> {
    const { plain, redis, keys } = this
    const [owners, moves, seen, acks, clickTexts, position] = await Promise.all([
      redis.hgetall(keys.owners),
      redis.hgetall(keys.moves),
      redis.zrangebyscore(keys.seen, '-inf', '+inf', 'WITHSCORES'),
      redis.zrangebyscore(keys.acks, '-inf', '+inf', 'WITHSCORES'),
      redis.hgetall(keys.clicks),
      redis.hgetall(keys.position),
    ])
    const theirs: Record<string, unknown> = { owners, moves, seen: pairs(seen) }
    const ours: Record<string, unknown> = {
      owners: Object.fromEntries(plain.owners),
      moves: Object.fromEntries(plain.moves),
      seen: Object.fromEntries(Array.from(plain.seen, ([id, score]) => [id, String(score)])),
    }
    const turns = pairs(acks)
    theirs['acks'] = Object.keys(turns).sort()
    ours['acks'] = [...plain.acks.keys()].sort()
    for (const id of plain.acks.keys()) if (turns[id] !== undefined) plain.acks.set(id, Number(turns[id]))
    for (const [id, click] of plain.clicks) click.dueAtMs = Number(/^\d+/.exec(clickTexts[id] ?? '')?.[0])
    theirs['clicks'] = Object.fromEntries(
      Object.entries(clickTexts).map(([id, text]) => [id, text.replace(/^\d+ /, '')]),
    )
    ours['clicks'] = Object.fromEntries(Array.from(plain.clicks, ([id, { click }]) => [id, click]))
    theirs['after'] = position['after']
    ours['after'] = plain.position && String(plain.position.after)
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const entries = plain.streams.get(partition) ?? []
      const rows = await redis.xrange(keys.events(partition), '-', '+')
      for (const [at, { id }] of entries.entries()) if (rows[at] && !this.#ids.has(id)) this.#ids.set(id, rows[at][0])
      theirs[`events ${partition}`] = rows.map(([id, fields]) => `${id} ${fields[1]}`)
      ours[`events ${partition}`] = entries.map(({ id, event }) => `${this.#ids.get(id)} ${event}`)
      theirs[`begun ${partition}`] = await redis.hgetall(keys.begun(partition))
      ours[`begun ${partition}`] = Object.fromEntries(
        Array.from(plain.begun.get(partition) ?? [], ([id, text]) => [this.#ids.get(id), text]),
      )
    }
    expect({ name, ...theirs }).toEqual({ name, ...ours })
  }
}

const pairs = (flat: string[]): Record<string, string> =>
  Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1]!]] : [])))

describeWithRedis('the scripts of the protocol', () => {
  test('do the same as the model, in random sequences', async () => {
    await using server = await startRedis({ appendonly: 'no' })
    const redis = new Redis(server.url)
    const base = Number(process.env['SEED'] ?? 1)
    const done = new Set<string>()
    for (let seed = base; seed < base + SEQUENCES; seed++) {
      const rig = new Rig(redis, seed)
      const steps: string[] = []
      try {
        for (let n = 0; n < STEPS; n++) steps.push(await rig.step())
      } catch (error) {
        throw new Error(`SEED=${seed}, after ${steps.join(' ')}`, { cause: error })
      }
      for (const step of steps) done.add(step)
    }
    expect(done.size).toBe(11)
    redis.disconnect()
  })
})
