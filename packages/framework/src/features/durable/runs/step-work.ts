// The work of `ctx.step`. Its calls on `ctx` are a part of the step: they have no record of their own, because they do not run again.

import { AsyncLocalStorage } from 'node:async_hooks'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Intent, Step } from '../stored/run-log.ts'
import { digestsOf } from './digest-of.ts'
import type { Replay } from './replay.ts'

/** The work of a step that runs now. */
interface StepWork {
  replay: Replay
  intent: Intent
  /** The calls of tools and the broadcasts in it. */
  tools: number
  broadcasts: number
  /** Draws its own random digits. */
  digest?: () => string
}

const working = new AsyncLocalStorage<StepWork>()
/** How many works run now. */
let open = 0

/** The work in which this code runs; undefined outside of the steps of this run. */
export function workOf(replay: Replay): StepWork | undefined {
  const work = open === 0 ? undefined : working.getStore()
  return work?.replay === replay ? work : undefined
}

/** Does the author's work of a step. */
export async function workIn<T>(replay: Replay, intent: Intent, work: () => Promise<T>): Promise<T> {
  if (workOf(replay)) return work()
  open++
  try {
    return await working.run({ replay, intent, tools: 0, broadcasts: 0 }, work)
  } finally {
    // It slows down every await.
    if (--open === 0) working.disable()
  }
}

/** Runs an effect as a step, or as a part of the step in whose work it is. */
export async function stepOf(replay: Replay, step: Step, execute: Parameters<Replay['step']>[1]): Promise<unknown> {
  const work = workOf(replay)
  if (!work) return replay.step(step, execute)
  const { args: _, ...facts } = step
  return replay.isStopped ? new Promise(() => {}) : execute({ ...work.intent, data: undefined, ...facts }, false)
}

/** Waits in a step. The work of another step cannot: it is not dropped from memory while it waits. */
export function waitOf(replay: Replay, step: Step, begin: (intent: Intent) => void): Promise<unknown> {
  const place = workOf(replay)?.intent.place
  if (place === undefined) return replay.wait(step, begin)
  const fact = `${place}: a durable handler cannot wait in ctx.step`
  throw new BotwrightError('ERR_INVALID_REQUEST', `${fact}: ask, and wait for clicks, outside of it`)
}

/** Draws hexadecimal digits. Those in the work of a step do not shift the later ones. */
export function digestsIn(replay: Replay, seed: string): () => string {
  const digest = digestsOf(seed)
  return () => {
    const work = workOf(replay)
    return work ? (work.digest ??= digestsOf(`${seed}:step ${work.intent.step}`))() : digest()
  }
}
