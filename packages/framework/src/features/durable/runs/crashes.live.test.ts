import { join } from 'node:path'
import { systemClock } from '@botwright/clock'
import { describe, expect, test } from 'vitest'
import type { StateStore } from '../../../author/ports.ts'
import { MemoryStore } from '../../../author/state/memory-store.ts'
import { ChatRig } from '../../../tests/chat-rig.test.fixture.ts'

// The whole conversation of each bot, with a crash before and after the effect that follows each write of a record.

const framework = JSON.stringify(new URL('../../../../dist/index.js', import.meta.url).href)

const bots = {
  quiz: {
    start: '/go',
    answers: { 'Capital of France?': 'Paris', 'And of Italy?': 'Rome' },
    end: 'Your score: 2 of 2',
    code: `import { command } from ${framework}
      export default command({ description: 'x', durable: true, run: async (ctx) => {
        let score = 0
        for (const [question, answer] of [['Capital of France?', 'Paris'], ['And of Italy?', 'Rome']]) {
          if ((await ctx.ask(question, { timeout: '1h' })) === answer) score++
          await ctx.state.user.update('score', (n) => (n ?? 0) + 1)
        }
        return 'Your score: ' + score + ' of ' + (await ctx.state.user.get('score'))
      } })`,
  },
  parallel: {
    start: '/go',
    answers: { 'Ready?': 'yes' },
    end: 'all: a b c, 3',
    code: `import { command } from ${framework}
      export default command({ description: 'x', durable: true, run: async (ctx) => {
        await ctx.ask('Ready?', { timeout: '1h' })
        const done = await Promise.all(['a', 'b', 'c'].map(async (name) => {
          const step = await ctx.step(name, () => name)
          await ctx.send(ctx.channel_id, 'part ' + step)
          await ctx.state.user.update('parts', (n) => (n ?? 0) + 1)
          return step
        }))
        try { await ctx.step('fails', () => { throw new Error('no') }) } catch (error) { await ctx.react('👍') }
        return 'all: ' + done.join(' ') + ', ' + (await ctx.state.user.get('parts'))
      } })`,
  },
}

/** A store that stops answering around one write of a record, as if the process had died. */
class CrashingStore implements StateStore {
  readonly #base: StateStore
  readonly #plan: { at: number; stored: boolean }
  writes = 0
  crashed = false

  constructor(base: StateStore, plan: { at: number; stored: boolean }) {
    this.#base = base
    this.#plan = plan
  }

  async set(...[key, value, options]: Parameters<StateStore['set']>): Promise<boolean> {
    if (this.crashed) return new Promise(() => {})
    if (key.startsWith('run:') && ++this.writes === this.#plan.at) {
      this.crashed = true
      if (this.#plan.stored) await this.#base.set(key, value, options)
      return new Promise(() => {})
    }
    return this.#base.set(key, value, options)
  }
  get = (key: string) => this.#alive(() => this.#base.get(key))
  list = (...given: Parameters<StateStore['list']>) => this.#alive(() => this.#base.list(...given))
  delete = (...given: Parameters<StateStore['delete']>) => this.#alive(() => this.#base.delete(...given))

  #alive<T>(run: () => Promise<T>): Promise<T> {
    return this.crashed ? new Promise(() => {}) : run()
  }
}

type Sample = (typeof bots)['quiz' | 'parallel']

/** Plays the conversation, with one crash; returns its texts and how many records were written. */
async function play(bot: Sample, plan: { at: number; stored: boolean }): Promise<{ texts: string[]; writes: number }> {
  await using rig = await ChatRig.start()
  const answers = bot.answers as Record<string, string | undefined>
  const base = new MemoryStore(systemClock)
  const store = new CrashingStore(base, plan)
  const options = { stateDir: join(rig.root, 'state'), dispatcher: 'inline' as const }
  const files = { 'commands/go.ts': bot.code, 'events/message.ts': "export default (ctx) => 'heard ' + ctx.content" }
  let running = await rig.startBot(files, { ...options, config: { store: () => store } })
  await rig.says('ann', bot.start)
  const answered = new Set<string>()
  await rig.until(async () => {
    const texts = await rig.texts()
    if (store.crashed && running) {
      await running.stop({ graceMs: 0 })
      store.crashed = false
      running = await rig.startBot(files, { ...options, config: { store: () => base } })
    }
    for (const question of texts.filter((text) => answers[text] !== undefined && !answered.has(text))) {
      answered.add(question)
      await rig.says('ann', answers[question]!)
    }
    return texts.at(-1) === bot.end
  })
  return { texts: await rig.texts(), writes: store.writes }
}

/** Plays the conversation with a crash around each of these writes, and compares it with one without a crash. */
async function crashAround(bot: Sample, points: (writes: number) => { at: number; stored: boolean }[]) {
  const undisturbed = await play(bot, { at: Infinity, stored: true })
  for (const plan of points(undisturbed.writes)) {
    const { texts } = await play(bot, plan)
    expect({ ...plan, texts: texts.toSorted() }).toEqual({ ...plan, texts: undisturbed.texts.toSorted() })
  }
}

describe.each(Object.entries(bots))('%s', (_name, bot) => {
  test('a crash in the middle changes nothing', () =>
    crashAround(bot, (writes) => [
      { at: Math.floor(writes / 2), stored: true },
      { at: Math.floor(writes / 2) + 1, stored: false },
    ]))

  test('a crash around any record changes nothing', { tags: 'all/crash-points' }, () =>
    crashAround(bot, (writes) =>
      Array.from({ length: writes - 1 }, (_, i) => [
        { at: i + 1, stored: true },
        { at: i + 1, stored: false },
      ]).flat(),
    ),
  )
})
