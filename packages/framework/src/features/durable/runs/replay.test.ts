import { expect, test } from 'vitest'
import { Replay } from './replay.ts'
import type { LogRecord } from '../stored/run-log.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/large' } as const

// Random programs over steps, with a crash after every record, against an undisturbed run.

type Leaf = { t: 'step' | 'wait' | 'fail' | 'count' | 'random'; name: string }
/** `if` runs one of its two parts, and `loop` repeats them, both depending on the last answer, stored value or random number. */
type Group = { t: 'all' | 'seq' | 'try' | 'if' | 'loop'; of: Program[] }
type Program = Leaf | Group

const leaves = ['step', 'wait', 'fail', 'count', 'random'] as const
const programs = [...leaves, 'all', 'seq', 'try', 'seq', 'if', 'if', 'loop'] as const

/** A small deterministic generator, so that a failure can be repeated from its seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed + 1
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function randomProgram(draw: (below: number) => number, depth = 0): Program {
  const kinds = depth > 2 ? leaves : programs
  const t = depth === 0 ? 'try' : kinds[draw(kinds.length)]!
  if (isLeaf(t)) return { t, name: `${t}${draw(5)}` }
  const parts = t === 'if' ? 2 : depth === 0 ? 2 + draw(3) : 1 + draw(3)
  return { t, of: Array.from({ length: parts }, () => randomProgram(draw, depth + 1)) }
}

const isLeaf = (t: Program['t']): t is Leaf['t'] => (leaves as readonly string[]).includes(t)
const isGroup = (one: Program): one is Group => !isLeaf(one.t)

/** The world outside of the run: effects are kept, and named by the step that made them. */
class World {
  readonly effects = new Map<number, string>()
  readonly state = new Map<string, number>()
  readonly log: LogRecord[] = []
  /** How often a program has branched or looped. */
  decisions = 0
}

/** The variables of a part of a program. The parts of `all` have their own: their order is not part of the program. */
interface Variables {
  path: string
  last: number
}

class Crash extends Error {}

/** Runs a program until it ends or `crashAfter` records are stored. */
function run(program: Program, world: World, crashAfter: number): Promise<string | Crash> {
  return new Promise((resolve, reject) => {
    let nowMs = world.log.length
    let dead = false
    const replay: Replay = new Replay(
      {
        file: 'commands/go.ts',
        codeId: 'code',
        now: () => ++nowMs,
        version: () => 1,
        place: () => 'commands/go.ts:1',
        append: async (records) => {
          for (const record of records) {
            world.log.push(structuredClone(record))
            if (world.log.length >= crashAfter) {
              dead = true
              replay.stop()
              resolve(new Crash())
              return new Promise(() => {})
            }
          }
        },
        onQuiet: () => {
          const [first] = replay.waits
          if (first) replay.complete(first.step, String(first.data).length + Number(String(first.data).slice(-1)))
        },
        onBroken: reject,
      },
      { log: structuredClone(world.log), startMs: 0 },
    )
    let issued = 0
    let drawn = 0
    const effect = (step: Leaf, args: unknown, work: () => unknown) => {
      const number = ++issued
      return replay.step({ kind: step.t, name: step.name, args }, async () => {
        for (let i = 0; i < number % 3; i++) await new Promise((done) => setImmediate(done))
        if (dead) return new Promise(() => {})
        world.effects.set(number, step.name)
        return work()
      })
    }
    const interpretLeaf = async (one: Leaf, variables: Variables): Promise<unknown> => {
      const { name } = one
      if (one.t === 'wait') {
        issued++
        return (variables.last = Number(await replay.wait({ kind: 'wait', name, data: name, args: name }, () => {})))
      }
      if (one.t === 'fail')
        return effect(one, variables.last, () => {
          throw new Error(`failed ${name}`)
        })
      if (one.t === 'step') return effect(one, variables.last, () => `${name} with ${variables.last}`)
      if (one.t === 'random') {
        // As `ctx.random`: a digest of the run and a counter. The parts of `all` draw in any order.
        if (variables.path === '') variables.last = randomOf(++drawn)(7)
        return variables.last
      }
      const key = `${variables.path}:${name}`
      const before = Number(await effect(one, key, () => world.state.get(key) ?? 0))
      await effect(one, [key, before + 1], () => world.state.set(key, before + 1).size)
      return (variables.last = before + 1)
    }
    const interpret = async (one: Program, variables: Variables): Promise<string> => {
      if (!isGroup(one)) return String(await interpretLeaf(one, variables))
      const { t, of } = one
      if (t === 'all') {
        const own = of.map((each, i) => interpret(each, { path: `${variables.path}/${i}`, last: variables.last }))
        return (await Promise.allSettled(own)).map((each) => JSON.stringify(each)).join()
      }
      if (t === 'if') {
        world.decisions++
        return interpret(of[variables.last % 2]!, variables)
      }
      const done: string[] = []
      const rounds = t === 'loop' ? variables.last % 4 : 1
      if (t === 'loop') world.decisions++
      for (let round = 0; round < rounds; round++)
        for (const each of of) {
          try {
            done.push(await interpret(each, variables))
          } catch (error) {
            if (t !== 'try') throw error
            done.push(`caught ${(error as Error).message}`)
          }
        }
      return done.join('; ')
    }
    interpret(program, { path: '', last: 1 }).then(
      async (value) => (replay.completes(), await replay.flush(), resolve(value)),
      async (error: Error) => (replay.completes(), await replay.flush(), resolve(`threw ${error.message}`)),
    )
  })
}

test(
  'a random program with loops and branches that crashes after every record has the same result as without crashes',
  slow,
  async () => {
    const first = Number(process.env['SEED'] ?? 1)
    let decisions = 0
    for (let seed = first; seed < first + 300; seed++) {
      const program = randomProgram(randomOf(seed))
      const model = new World()
      const expected = await run(program, model, Infinity)
      const world = new World()
      let result: string | Crash = new Crash()
      for (let at = 1; result instanceof Crash; at++) result = await run(program, world, at)
      expect({ seed, result }).toEqual({ seed, result: expected })
      expect({ seed, state: world.state }).toEqual({ seed, state: model.state })
      expect({ seed, effects: world.effects.size }).toEqual({ seed, effects: model.effects.size })
      decisions += model.decisions
    }
    expect(decisions).toBeGreaterThan(200)
  },
)

test('issues the steps of two branches in the same order again, however many promises are between them', async () => {
  const log: LogRecord[] = []
  const play = (): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const names: string[] = []
      const replay: Replay = new Replay(
        {
          file: 'commands/go.ts',
          now: () => 1,
          version: () => 1,
          place: () => 'commands/go.ts:1',
          // As a store on a disk, and not in memory.
          append: (records) => new Promise((stored) => setImmediate(() => (log.push(...records), stored()))),
          onQuiet: () => {},
          onBroken: reject,
        },
        { log: [...log], startMs: 0 },
      )
      const step = (name: string) => {
        names.push(name)
        return replay.step({ kind: 'step', name, args: undefined }, () => name)
      }
      const direct = async () => {
        await step('a')
        await step('c')
      }
      const late = async () => {
        for (let i = 0; i < 50; i++) await Promise.resolve()
        await step('b')
      }
      void Promise.all([direct(), late()]).then(async () => {
        await replay.flush()
        resolve(names)
      }, reject)
    })
  expect(await play()).toEqual(['a', 'b', 'c'])
  expect(await play()).toEqual(['a', 'b', 'c'])
})

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
