// Others than people who act on the third bot: programs that send requests to its routes, and an operator.

import { createHmac } from 'node:crypto'
import { SeededRandom } from '@botwright/clock/simulated'
import { switchOff, switchOn } from '@botwright/framework/start'
import type { ActorStage, SimHook } from '@botwright/testing/simulation'

export const HOOK_SECRET = 'secret-of-the-simulated-hooks'
/** Larger than the numbers of requests with a signature. */
export const FORGED_FROM = 1_000_000

const TIMEOUT_MS = 10_000
const TRIES = 6
const AGAIN_MS = 5000
const WAY_MS = 15
const KEYS = ['red', 'blue']

/** Names that an operator switches off for a while. */
const OFF = ['/add', '/list', 'buttons/list', 'POST /hook'] as const

/** Sends a request as other programs do: they repeat one without a response, with the same id. */
export function sends(value: number, stage: ActorStage): void {
  const { record, people } = stage
  const random = new SeededRandom(value)
  const number = record.hooks.filter(({ isForged }) => !isForged).length + 1
  const channel = random.pick(people.channels)
  const key = random.pick(KEYS)
  const hook: SimHook = {
    ...{ number, path: random.chance(0.15) ? '/status' : '/hook', key, tries: [] },
    ...(random.chance(0.85) && { id: `delivery-${number}` }),
  }
  record.hooks.push(hook)
  const body = JSON.stringify({ number, channel, key, fails: random.chance(0.2) })
  void untilAccepted(hook, body, { random, stage })
}

/** An operator switches something off, and on again. */
export function switches(value: number, stage: ActorStage): void {
  const random = new SeededRandom(value)
  const name = random.pick(OFF)
  const onInMs = 3000 + random.int(15_000)
  const change = async (off: boolean) => {
    const { supervisor, record, world } = stage
    const { running, process } = supervisor
    if (!running) return
    // Its process may end meanwhile, and a write that has failed may have arrived.
    const begun = { name, off: undefined, atMs: world.nowMs }
    record.switches.push(begun)
    /** Of changes at the same time, nothing shows which one was the last: the responses of a slow store come in any order. */
    const done = () => {
      const isAlone = record.switches.findLast((one) => one.name === name) === begun
      record.switches.push({ name, off: isAlone ? off : undefined, atMs: world.nowMs })
    }
    const work = off
      ? switchOff(running.store, { name, sinceMs: process.now(), reason: 'a test' })
      : switchOn(running.store, name)
    await work.then(done, (error: Error) => {
      world.note(`${name} is not switched ${off ? 'off' : 'on'}: ${error.message}`)
      // It was off, or on, already.
      if (error.constructor.name === 'SwitchError') done()
    })
  }
  void change(true)
  stage.world.timeline.after(onInMs, () => void change(false))
}

interface Sender {
  random: SeededRandom
  stage: ActorStage
}

async function untilAccepted(hook: SimHook, body: string, { random, stage }: Sender): Promise<void> {
  const wait = (ms: number) => new Promise<void>((resolve) => stage.world.timeline.after(ms, resolve))
  for (let tries = 1; tries <= TRIES; tries++) {
    const status = await Promise.race([send(hook, body, { random, stage }), wait(TIMEOUT_MS)])
    stage.world.note(`hook ${hook.number}: ${status ?? 'no response'}`)
    if (status !== undefined && status < 500) return
    await wait(AGAIN_MS * tries + random.int(AGAIN_MS))
  }
}

/** Sends one copy. Undefined: there is no response. */
async function send(hook: SimHook, body: string, { random, stage }: Sender): Promise<number | undefined> {
  const drawn = stage.fateOf()
  // Senders repeat requests now and then, whatever the bot does.
  const fate = drawn === 'ok' && random.chance(0.15) ? random.pick(['twice', 'lost'] as const) : drawn
  const isLostOnWay = fate === 'lost' && random.chance(0.5)
  if (isLostOnWay) return new Promise(() => {})
  const delayMs = fate === 'late' ? random.int(TIMEOUT_MS) : 0
  if (fate === 'twice') void arrive(hook, body, { random, stage }, delayMs + random.int(AGAIN_MS))
  if (fate === 'forged') forge(hook, body, { random, stage })
  const status = await arrive(hook, body, { random, stage }, delayMs)
  return fate === 'lost' ? new Promise(() => {}) : status
}

/** A stranger sends a changed copy, with the signature of another body. */
function forge(hook: SimHook, body: string, sender: Sender): void {
  const { record } = sender.stage
  const number = FORGED_FROM + hook.number
  const forged: SimHook = { ...hook, number, id: `forged-${number}`, isForged: true, tries: [] }
  record.hooks.push(forged)
  void arrive(forged, body.replace(/"number":\d+/, `"number":${number}`), sender, 0)
}

async function arrive(hook: SimHook, body: string, { random, stage }: Sender, ms: number): Promise<number | undefined> {
  const { host, supervisor, world } = stage
  const onWay = () =>
    new Promise<void>((resolve) =>
      world.timeline.at(Math.max(world.nowMs + 1 + random.int(WAY_MS), host.awakeAtMs), resolve),
    )
  await new Promise<void>((resolve) => world.timeline.after(ms, resolve))
  await onWay()
  const { running, process } = supervisor
  if (!running || !process.alive) return 503
  const isGet = hook.path === '/status'
  const signed = hook.isForged ? `${body} ` : body
  const found: SimHook['tries'][number] = { atMs: world.nowMs, process: process.number }
  hook.tries.push(found)
  const bytes = Buffer.from(body)
  try {
    const response = await running.answer({
      ...{ method: isGet ? 'GET' : 'POST', path: hook.path, query: '' },
      headers: {
        'content-type': 'application/json',
        'x-signature': `sha256=${createHmac('sha256', HOOK_SECRET).update(signed).digest('hex')}`,
        ...(hook.id !== undefined && { 'x-delivery': hook.id }),
      },
      read: async (most) => (bytes.length > most ? undefined : bytes),
    })
    if (!process.alive) return await new Promise(() => {})
    await onWay()
    found.status = response.status
    found.gotAtMs = world.nowMs
    return response.status
  } catch (error) {
    if (!process.alive) return await new Promise(() => {})
    // The server of the bot responds then.
    world.note(`hook ${hook.number} failed: ${(error as Error).message}`)
    return (found.status = 500)
  }
}
