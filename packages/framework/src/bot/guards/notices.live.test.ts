import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const framework = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)

const files = {
  'commands/add.ts': `import { command, integer } from ${framework}; export default command({ args: { n: integer() }, run: (ctx) => 'added ' + ctx.args.n })`,
  'commands/fail.ts': "export default () => { throw new Error('it broke') }",
}

test.each([
  ['add x', /^n must be a whole number/],
  ['fail', /went wrong/],
] as const)('a person who repeats /%s gets three notices a minute, and others get theirs', async (command, notice) => {
  await using rig = await ChatRig.start(['ann', 'bob'])
  await rig.startBot(files)
  const notices = async () => (await rig.texts()).filter((text) => notice.test(text)).length
  for (let i = 0; i < 6; i++) await rig.says('ann', `/${command}${' '.repeat(i)}`)
  await rig.says('ann', '/add 1')
  await rig.until(async () => (await rig.texts()).includes('added 1'))
  expect(await notices()).toBe(3)
  await rig.says('bob', `/${command}`)
  await rig.until(async () => (await notices()) === 4)
})

test('a notice with more names than a message can have is cut', slow, async () => {
  await using rig = await ChatRig.start()
  const names = Array.from({ length: 80 }, (_, i) => `${'x'.repeat(29)}${String(i).padStart(3, '0')}`)
  const question = `import { oneOf } from ${framework}
    export default (ctx) => ctx.ask('Which?', { as: oneOf(...${JSON.stringify(names)}), tries: 2 })`
  const many = Object.fromEntries(names.map((name) => [`commands/many/${name}.ts`, "export default () => 'x'"]))
  await rig.startBot({ ...many, 'commands/ask.ts': question })
  const isCut = async () => Array.from((await rig.texts()).at(-1)!).length === 2000
  await rig.says('ann', '/many')
  await rig.until(isCut)
  await rig.says('ann', '/ask')
  await rig.until(async () => (await rig.texts()).at(-1) === 'Which?')
  for (const wrong of ['a', 'b']) {
    await rig.says('ann', wrong)
    await rig.until(isCut)
  }
  expect(rig.logged('warn')).toEqual([])
})
