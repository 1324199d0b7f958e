import { expect, test } from 'vitest'
import { Replay } from './replay.ts'
import type { LogRecord } from '../../link/durable/run-log.ts'

// Random programs over steps, with a crash after every record, against an undisturbed run.

type Program = { t: 'step' | 'wait' | 'fail'; name: string } | Group
type Group = { t: 'all' | 'seq' | 'try'; of: Program[] }

/** A small deterministic generator, so that a failure can be repeated from its seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed + 1
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function randomProgram(draw: (below: number) => number, depth = 0): Program {
  const kinds =
    depth > 2 ? (['step', 'wait', 'fail'] as const) : (['step', 'wait', 'all', 'seq', 'try', 'fail', 'seq'] as const)
  const t = kinds[draw(kinds.length)]!
  if (t === 'step' || t === 'wait' || t === 'fail') return { t, name: `${t}${draw(5)}` }
  return { t, of: Array.from({ length: 1 + draw(3) }, () => randomProgram(draw, depth + 1)) }
}

/** The world outside of the run: effects are kept, and named by the step that made them. */
class World {
  readonly effects = new Map<number, string>()
  readonly log: LogRecord[] = []
}

class Crash extends Error {}

/** Runs a program until it ends or `crashAfter` records are stored. */
function run(program: Program, world: World, crashAfter: number): Promise<string | Crash> {
  return new Promise((resolve, reject) => {
    let nowMs = world.log.length
    const replay: Replay = new Replay(
      {
        file: 'commands/go.ts',
        now: () => ++nowMs,
        version: () => 1,
        place: () => 'commands/go.ts:1',
        append: async (records) => {
          for (const record of records) {
            world.log.push(structuredClone(record))
            if (world.log.length >= crashAfter) {
              replay.stop()
              resolve(new Crash())
              return new Promise(() => {})
            }
          }
        },
        onQuiet: () => {
          const [first] = replay.waits
          if (first) replay.complete(first.step, `answer ${first.step}`)
        },
        onBroken: reject,
      },
      { log: structuredClone(world.log), startMs: 0 },
    )
    let issued = 0
    const interpret = async (one: Program): Promise<string> => {
      if (one.t === 'wait') {
        issued++
        return String(await replay.wait({ kind: 'wait', name: one.name, args: undefined }, () => {}))
      }
      if (one.t === 'step' || one.t === 'fail') {
        const number = ++issued
        const effect = `${one.t} ${one.name} ${replay.nowMs > 0 ? 'later' : 'first'}`
        return String(
          await replay.step({ kind: one.t, name: one.name, args: undefined }, async () => {
            for (let i = 0; i < number % 3; i++) await new Promise((done) => setImmediate(done))
            world.effects.set(number, effect)
            if (one.t === 'fail') throw new Error(`failed ${number}`)
            return effect
          }),
        )
      }
      const group = one as Group
      if (group.t === 'all')
        return (await Promise.allSettled(group.of.map(interpret))).map((each) => JSON.stringify(each.status)).join()
      const done: string[] = []
      for (const each of group.of) {
        try {
          done.push(await interpret(each))
        } catch (error) {
          if (group.t === 'seq') throw error
          done.push(`caught ${(error as Error).message}`)
        }
      }
      return done.join('; ')
    }
    interpret(program).then(
      async (value) => (await replay.flush(), resolve(value)),
      async (error: Error) => (await replay.flush(), resolve(`threw ${error.message}`)),
    )
  })
}

test('a random program that crashes after every record has the same result as without crashes', async () => {
  const first = Number(process.env['SEED'] ?? 1)
  for (let seed = first; seed < first + 60; seed++) {
    const program = randomProgram(randomOf(seed))
    const model = new World()
    const expected = await run(program, model, Infinity)
    const world = new World()
    let result: string | Crash = new Crash()
    for (let at = 1; result instanceof Crash; at++) result = await run(program, world, at)
    expect({ seed, result }).toEqual({ seed, result: expected })
    expect({ seed, effects: world.effects.size }).toEqual({ seed, effects: model.effects.size })
  }
}, 120_000)

test('stops a run whose code issues a different step than its record', async () => {
  const world = new World()
  await run(
    {
      t: 'seq',
      of: [
        { t: 'step', name: 'a' },
        { t: 'step', name: 'b' },
      ],
    },
    world,
    3,
  )
  const changed = run({ t: 'seq', of: [{ t: 'step', name: 'z' }] }, world, Infinity)
  await expect(changed).rejects.toMatchObject({
    code: 'ERR_NOT_DETERMINISTIC',
    message: expect.stringContaining('step 1 is step "z", but the record has step "a" (commands/go.ts:1)') as string,
  })
})

test('a run has at most 1000 steps', async () => {
  const of = Array.from({ length: 1001 }, (_, i): Program => ({ t: 'step', name: `s${i}` }))
  expect(await run({ t: 'seq', of }, new World(), Infinity)).toMatch(/threw .*at most 1000 steps and 256 KiB/)
})
