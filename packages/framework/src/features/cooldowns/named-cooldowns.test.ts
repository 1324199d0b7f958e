import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { PassedCooldowns, passCooldown } from '../../author/passed-cooldowns.ts'
import { message, start } from '../../tests/loaded-bot.test.fixture.ts'

// Cooldowns with one name share a count, and each has its own limit.

let names = 0

/** A bot with these guards, where NAME is a name of the test's own. Counts how often each of its commands runs. */
async function botOf(guards: Record<string, string>, options = '') {
  const name = `shared ${++names}`
  const clock = new VirtualClock()
  const files = Object.entries(guards).map(([command, list]) => [
    `commands/${command}.ts`,
    `import { anyOf, command, cooldown, guard } from 'botwright'
    export default command({ description: 'x', ${options} guards: [${list.replaceAll('NAME', name)}], run: () => 'ran' })`,
  ])
  const { bot, calls } = await start(Object.fromEntries(files) as Record<string, string>, {}, { clock })
  const passes = async (command = 'go') => {
    const { length } = calls
    await bot.handle(message({ command }))
    return calls.slice(length).some(([, { content }]) => content === 'ran')
  }
  const times = async (count: number, everyMs: number, command?: string) => {
    let passed = 0
    for (let i = 0; i < count; i++) {
      if (await passes(command)) passed++
      await clock.advance(everyMs)
    }
    return passed
  }
  return { passes, times, clock }
}

const short = "cooldown('10s', { name: 'NAME' })"
const long = "cooldown('1h', { name: 'NAME', uses: 3 })"

test.each([
  ['the longer one last', `${short}, ${long}`, ''],
  ['the longer one first', `${long}, ${short}`, ''],
  ['in a durable handler', `${short}, ${long}`, 'durable: true,'],
])('two cooldowns with one name in one handler both refuse (%s)', async (_, list, options) => {
  const { passes, times, clock } = await botOf({ go: list }, options)
  expect(await times(4, 1000)).toBe(1)
  await clock.advance(10_000)
  expect(await times(20, 11_000)).toBe(2)
  await clock.advance(3_600_000)
  expect(await passes()).toBe(true)
})

test('a use that one refuses counts for none', async () => {
  const { passes, times, clock } = await botOf({ go: `${long}, ${short}` })
  // The later ones are refused by the short one.
  expect(await times(9, 1000)).toBe(1)
  await clock.advance(10_000)
  expect(await passes()).toBe(true)
})

test('cooldowns of several commands with one name each remember as long as they have to', async () => {
  const { passes, times, clock } = await botOf({ roll: short, big: "cooldown('1m', { name: 'NAME' })" })
  expect(await passes('roll')).toBe(true)
  await clock.advance(20_000)
  expect(await passes('big')).toBe(false)
  expect(await passes('roll')).toBe(true)
  await clock.advance(59_000)
  expect(await passes('big')).toBe(false)
  await clock.advance(1000)
  expect(await passes('big')).toBe(true)
  expect(await times(3, 4000, 'roll')).toBe(0)
  expect(await passes('roll')).toBe(true)
})

test('the second of two cooldowns with the same name and limit refuses nothing that the first allows', async () => {
  const { times } = await botOf({ go: "cooldown('10s', { name: 'NAME' }), cooldown('10s', { name: 'NAME' })" })
  expect(await times(4, 10_000)).toBe(4)
})

test.each([
  ['a guard that throws', 'check: () => { if (++globalThis.guardRuns % 2) throw new Error(); return true }', ''],
  ['a guard that rejects', 'check: async () => { if (++globalThis.guardRuns % 2) throw new Error(); return true }', ''],
  [
    'one of a durable handler',
    'check: () => { if (++globalThis.guardRuns % 2) throw new Error(); return true }',
    'durable: true,',
  ],
])('%s uses up no cooldown', async (_, check, options) => {
  Object.assign(globalThis, { guardRuns: 0 })
  const { passes } = await botOf(
    { go: `${short}, anyOf([guard({ describe: 'x', refusal: 'no', ${check} }), cooldown('1s')])` },
    options,
  )
  expect(await passes()).toBe(false)
  expect(await passes()).toBe(true)
  expect(await passes()).toBe(false)
})

test('a refund that fails keeps no other one from its use', async () => {
  const cooldowns = new PassedCooldowns()
  const given: string[] = []
  let fails = true
  passCooldown(cooldowns, async () => {
    if (fails) throw new Error('the store is away')
    given.push('first')
  })
  passCooldown(cooldowns, async () => void given.push('second'))
  await expect(cooldowns.refund()).rejects.toThrow('the store is away')
  expect(given).toEqual(['second'])
  fails = false
  await cooldowns.refund()
  expect(given).toEqual(['second', 'first'])
})
