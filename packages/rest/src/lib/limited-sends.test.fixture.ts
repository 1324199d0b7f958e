import { sleep, VirtualClock, type Clock } from '@botwright/clock'
import { limits } from '@botwright/protocol/facts'
import { MessageBudget } from './budget.ts'
import type { Priority } from './limit-store.ts'

/** Random numbers that are the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const { requests, seconds } = limits.messages
const windowMs = seconds * 1000
/** As in the client. */
const TIMEOUT_MS = 15_000
/** Each way. Both together stay below the timeout: no one can count a message that arrives after the client aborted it. */
const SLOWEST_MS = 7000

/**
 * Possible meanings of "30 a minute" (§8). Each model gets the arrival times of messages, in order, and returns whether it accepts
 * the message. A refused message is not counted, so every refusal is an error of the sender.
 */
export const models = {
  'a fixed window that begins with its first message'() {
    let startMs = -Infinity
    let count = 0
    return (ms: number) => {
      if (ms >= startMs + windowMs) [startMs, count] = [ms, 0]
      return count < requests && ++count > 0
    }
  },
  'a minute of the calendar'() {
    let minute = -1
    let count = 0
    return (ms: number) => {
      const now = Math.floor(ms / windowMs)
      if (now !== minute) [minute, count] = [now, 0]
      return count < requests && ++count > 0
    }
  },
  'a sliding window'() {
    const times: number[] = []
    return (ms: number) => {
      while (times.length > 0 && times[0]! <= ms - windowMs) times.shift()
      return times.length < requests && times.push(ms) > 0
    }
  },
  /** Full at first. A smaller bucket would refuse 30 messages at once, which "30 a minute" allows. */
  'a bucket of 30 tokens, one more every 2 s'() {
    let tokens: number = requests
    let lastMs: number | undefined
    return (ms: number) => {
      tokens = Math.min(requests, tokens + ((ms - (lastMs ?? ms)) / windowMs) * requests)
      lastMs = ms
      if (tokens < 1 - 1e-9) return false
      tokens--
      return true
    }
  },
} satisfies Record<string, () => (ms: number) => boolean>

type Refused = Record<keyof typeof models, number>

/** A host whose wall clock keeps running across its processes. Each process counts its own time from its start. */
function clockOfProcess(machine: VirtualClock): Clock {
  const startMs = machine.monotonic()
  return {
    now: () => machine.now(),
    monotonic: () => machine.monotonic() - startMs,
    after: (ms, fire) => machine.after(ms, fire),
  }
}

export interface LimitedSends {
  sends: number
  /** Processes that are killed at random times; only their saved send times remain. */
  kills?: number
  seed: number
  /** False: no send times are saved. */
  keep?: boolean
}

/** Sends in bursts and one by one, through the real budget in virtual time, and collects the responses of every model. */
export async function limitedSends({ sends, kills = 0, seed, keep = true }: LimitedSends) {
  const random = seeded(seed)
  const machine = new VirtualClock()
  const startMs = machine.now()
  const arrivals: number[] = []
  let kept = '[]'
  const latencyMs = () => (random() < 0.05 ? random() : random() ** 4) * SLOWEST_MS

  function startProcess() {
    let alive = true
    const budget = new MessageBudget({
      clock: clockOfProcess(machine),
      requests,
      seconds,
      timeoutMs: TIMEOUT_MS,
      sendTimes: {
        load: () => (keep ? (JSON.parse(kept) as number[]) : []),
        save: (times) => void (alive && (kept = JSON.stringify(times))),
      },
    })
    const priorities: readonly Priority[] = ['answer', 'reply', 'broadcast']
    const send = async () => {
      try {
        await budget.take(priorities[Math.floor(random() * 3)]!)
      } catch {
        // The process ended during the wait.
        return
      }
      const fate = random()
      // No connection: nothing was sent.
      if (fate < 0.02) {
        await sleep(machine, 5)
        return alive && budget.release(false)
      }
      const sentMs = machine.now()
      await sleep(machine, latencyMs())
      // A sent message arrives even if its process has ended; one in fifty is lost.
      if (fate > 0.04) arrivals.push(machine.now())
      // Some responses are lost too.
      await sleep(machine, fate < 0.06 ? TIMEOUT_MS - (machine.now() - sentMs) : latencyMs())
      if (alive) budget.release(true)
    }
    const kill = () => {
      alive = false
      budget.close()
    }
    return { budget, send, kill }
  }

  let process = startProcess()
  let killed = 0
  let nextKill = (sends / (kills + 1)) * (0.5 + random())
  while (arrivals.length < sends) {
    // More waiting messages would not test anything new.
    if (process.budget.waiting < 120) {
      const burst = random() < 0.3 ? Math.ceil(random() * 60) : 1
      for (let i = 0; i < burst; i++) void process.send()
    }
    await machine.advance(random() ** 2 * 8000)
    if (killed < kills && arrivals.length >= nextKill) {
      process.kill()
      killed++
      nextKill += sends / (kills + 1)
      // The next process starts immediately, or after a while.
      await machine.advance(random() ** 3 * 40_000)
      process = startProcess()
    }
  }
  process.kill()
  const refused = Object.fromEntries(
    Object.entries(models).map(([name, make]) => {
      const takes = make()
      return [name, arrivals.filter((ms) => !takes(ms)).length]
    }),
  ) as Refused
  const perMinute = arrivals.length / ((machine.now() - startMs) / 60_000)
  return { sends: arrivals.length, kills: killed, perMinute: Math.round(perMinute * 10) / 10, refused }
}
