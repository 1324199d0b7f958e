// How large a bot can get: queues of channels, fed by random events, over the measured costs of an event. Seeded, so that the table in the
// documentation can be checked.

/** Measured on two cores; docs/cluster-reference.md has the conditions. */
export const COSTS = {
  /** Processor time of an instance for one event, without the handler's own work. */
  instanceMs: 0.13,
  /** Time of Redis for one event: added, begun, finished. */
  redisMs: 0.027,
  /** Handlers that run at once on one instance. */
  handlersAtOnce: 256,
  /** One poll of the leader: how many events it returns, and how long it takes if the service is 20 ms away. */
  pollEvents: 100,
  pollMs: 20,
} as const

/** A processor or handler slot should not be busier than this, or waiting times grow quickly. */
const FULL = 0.7
const SECONDS = 60
/** A server of a bot has one event in 100 s at the busiest hour; half of all events are in 2 % of the channels. */
const EVENTS_PER_SERVER = 0.01
const CHANNELS_PER_SERVER = 4
const BUSY_CHANNELS = 0.02

export interface Load {
  servers: number
  handlerMs: number
}

/** The instances that a load needs, and how busy each part is (1: completely). */
export interface Capacity extends Load {
  eventsPerSecond: number
  instances: number
  leader: number
  redis: number
  processor: number
  handlers: number
  waitP99Ms: number
}

/** Simulates a minute of a bot at its busiest hour. */
export function simulateCapacity({ servers, handlerMs }: Load, seed = 1): Capacity {
  const rate = servers * EVENTS_PER_SERVER
  const perInstance = Math.min((COSTS.handlersAtOnce * 1000) / handlerMs, 1000 / COSTS.instanceMs) * FULL
  const instances = Math.max(1, Math.ceil(rate / perInstance))
  const random = seeded(seed)
  const channels = servers * CHANNELS_PER_SERVER
  /** When the last event of each channel has ended. */
  const freeAt = new Map<number, number>()
  /** When each handler slot of an instance is free. */
  const slots = Array.from({ length: instances }, () => new Float64Array(COSTS.handlersAtOnce))
  const waits: number[] = []
  const count = Math.min(200_000, Math.round(rate * SECONDS))
  let atMs = 0
  for (let i = 0; i < count; i++) {
    atMs += (-Math.log(1 - random()) / rate) * 1000
    const channel = Math.floor(channels * (random() < 0.5 ? random() : BUSY_CHANNELS * random()))
    const own = slots[channel % instances]!
    let slot = 0
    for (let n = 1; n < own.length; n++) if (own[n]! < own[slot]!) slot = n
    const startMs = Math.max(atMs, own[slot]!, freeAt.get(channel) ?? 0)
    const endMs = startMs + handlerMs
    own[slot] = endMs
    freeAt.set(channel, endMs)
    waits.push(startMs - atMs)
  }
  waits.sort((a, b) => a - b)
  return {
    servers,
    handlerMs,
    eventsPerSecond: rate,
    instances,
    leader: (rate * COSTS.pollMs) / COSTS.pollEvents / 1000,
    redis: (rate * COSTS.redisMs) / 1000,
    processor: (rate * COSTS.instanceMs) / 1000 / instances,
    handlers: (rate * handlerMs) / 1000 / (instances * COSTS.handlersAtOnce),
    waitP99Ms: waits[Math.floor(waits.length * 0.99)] ?? 0,
  }
}

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const LOADS: readonly Load[] = [1e3, 1e4, 1e5, 1e6].flatMap((servers) =>
  [5, 100, 1000].map((handlerMs) => ({ servers, handlerMs })),
)

/** The rows of the table in the documentation. */
export const capacityRows = (): string[] =>
  LOADS.map((load) => {
    const c = simulateCapacity(load)
    const share = (part: number) => `${Math.round(part * 100)} %`
    const cells = [
      ...[c.servers.toLocaleString('en'), c.eventsPerSecond.toLocaleString('en'), `${c.handlerMs} ms`, c.instances],
      ...[share(c.leader), share(c.redis), share(c.processor), share(c.handlers), waitText(c.waitP99Ms)],
    ]
    return `| ${cells.join(' | ')} |`
  })

const waitText = (ms: number): string =>
  ms < 1 ? '0' : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
