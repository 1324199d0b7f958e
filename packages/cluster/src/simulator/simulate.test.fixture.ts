import { SimInstance } from './instance.test.fixture.ts'
import { type Protocol, protocol as real, World } from './world.test.fixture.ts'

export interface Simulated {
  violations: string[]
  /** One line for each step: the same for the same seed. */
  trace: string[]
  repeats: number
}

const CHAOS_MS = 16_000
const END_MS = 120_000
/** A click fails 3 s after it was made (§3). */
const ANSWER_MS = 3000

/**
 * Runs a leader, instances, Redis and the service in virtual time, with crashes, freezes, cuts, outages of Redis, and late and lost
 * packets. `graceful`: instances only join and leave, and nothing may be repeated.
 */
export function simulate(
  seed: number,
  { graceful = false, protocol = real }: { graceful?: boolean; protocol?: Protocol } = {},
): Simulated {
  const world = new World(seed, { protocol, graceful })
  const instances: SimInstance[] = []
  let made = 0
  const start = () => void instances.push(new SimInstance(world, `i${++made}`))
  const alive = () => instances.filter((one) => one.alive && !one.leaving)
  const any = (all: SimInstance[]) => all[world.int(all.length)]
  const count = 2 + world.int(2)
  for (let i = 0; i < count; i++) start()

  const step = () => {
    if (world.nowMs > CHAOS_MS) return
    const one = any(alive())
    // Freezes and cuts also hit one that leaves and still has to release its partitions.
    const hit = any(instances.filter(({ alive }) => alive))
    const kind = graceful ? world.int(2) : world.int(7)
    if (kind === 0 && alive().length < 4) start()
    else if (kind === 1 && one && alive().length > 1) one.leave(() => {})
    else if (kind === 2 && one) {
      one.crash()
      world.after(100 + world.int(3000), start)
    } else if (kind === 3) hit?.freeze(200 + world.int(7000))
    else if (kind === 4 && hit) {
      hit.isCut = true
      world.disturbed(`${hit.name} is cut off`)
      world.after(200 + world.int(6000), () => (hit.isCut = false))
    } else if (kind === 5 && world.redisUp) {
      world.redisUp = false
      world.disturbed('Redis does not respond')
      world.after(100 + world.int(3000), () => (world.redisUp = true))
    }
    world.after(graceful ? 1500 + world.int(2500) : 400 + world.int(2500), step)
  }
  world.after(1000 + world.int(2000), step)

  const guard = () => {
    if (alive().length === 0) start()
    world.after(500, guard)
  }
  guard()
  const isDone = () =>
    world.nowMs > CHAOS_MS &&
    [...world.seen.values()].every(({ done }) => done) &&
    [...world.redis.streams.values()].every((rows) => rows.length === 0)
  world.run(END_MS, isDone)
  // Clicks and counts are settled a little later.
  world.run(world.nowMs + 8000)
  judge(world)
  const repeats = [...world.seen.values()].reduce((sum, { runs }) => sum + Math.max(0, runs - 1), 0)
  return { violations: world.violations, trace: world.trace, repeats }
}

/** Checks the final state. */
function judge(world: World): void {
  const { redis, seen, events, disturbedAtMs, graceful } = world
  for (const { id, atMs, click } of events) {
    const { done, acks, respondedAtMs } = seen.get(id)!
    if (!done) world.fail(`event ${id} is lost`)
    if (!click) continue
    const isCalm = !disturbedAtMs.some((ms) => ms > atMs - 8000 && ms < atMs + 8000)
    if ((graceful || isCalm) && acks.length > 1) world.fail(`click ${id} is acknowledged ${acks.length} times`)
    if (graceful && (respondedAtMs ?? Infinity) > atMs + ANSWER_MS) world.fail(`click ${id} fails`)
  }
  for (const [partition, rows] of redis.streams)
    if (rows.length > 0) world.fail(`partition ${partition} keeps ${rows.length} entries`)
  for (const [partition, counts] of redis.begun)
    if (counts.size > 0) world.fail(`partition ${partition} keeps ${counts.size} counts of finished entries`)
}

/** The first seed whose simulation notices a fault of the protocol; undefined if none of them does. */
export function firstViolation(
  fault: Partial<Protocol>,
  { seeds }: { seeds: number },
): { seed: number; violation: string } | undefined {
  const protocol = { ...real, ...fault }
  for (let seed = 1; seed <= seeds; seed++)
    for (const graceful of [false, true]) {
      const [violation] = simulate(seed, { graceful, protocol }).violations
      if (violation !== undefined) return { seed, violation }
    }
  return undefined
}
