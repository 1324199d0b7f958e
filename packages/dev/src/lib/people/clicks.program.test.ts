import { afterAll, beforeAll, expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev, stop } from '../dev-process.test.fixture.ts'
import { type Running, untilPrinted } from '../program.test.fixture.ts'

const framework = JSON.stringify(new URL('../../../../framework/dist/index.js', import.meta.url).href)
const hour = (offset: number) => `${new Date(Date.now() + offset * 3_600_000).toISOString().slice(11, 14)}00`
const buttonOf = (guards: string) => `import { button, guard } from ${framework}
  export default button({ guards: [${guards}], run: (ctx) => ctx.ephemeral('thanks') })`
const board = `import yes from '../buttons/yes.ts'
  import no from '../buttons/no.ts'
  const vote = (first) => ({
    content: 'Vote',
    components: [{ type: 'row', components: [yes.button({ label: first }), no.button({ label: 'No' })] }],
  })`
const files = {
  'bot.config.ts': `export default { quietHours: { from: '${hour(-2)}', until: '${hour(2)}', timezone: 'UTC' } }`,
  'commands/board.ts': `${board}
    export default () => vote('Yes')`,
  'commands/later.ts': `${board}
    export default (ctx) => void ctx.send(ctx.channel_id, vote('Late'))`,
  'buttons/yes.ts': buttonOf("guard({ describe: 'only for members', check: () => false, refusal: 'Members only' })"),
  'buttons/no.ts': buttonOf("guard({ describe: 'only for members', check: () => false, refusal: '' })"),
}

let draft: BotDraft
let dev: Running
beforeAll(async () => {
  draft = await BotDraft.make(files)
  dev = await startDev(draft)
  await untilPrinted(dev, 'Chat')
})
afterAll(async () => {
  await stop(dev)
  await draft[Symbol.asyncDispose]()
})

async function run(...args: string[]) {
  const { code, stdout, stderr } = await draft.framework(args)
  return { code, output: stdout + stderr }
}

test('a click that a guard refuses with a text is answered, and without a text it is not', async () => {
  await run('say', 'ann', '/board')
  const refused = expect.stringMatching(/ephemeral “Members only”\n– refused: only for members\n$/) as string
  expect(await run('click', 'ann', 'Yes')).toEqual({ code: 0, output: refused })
  const json = JSON.parse((await run('click', 'ann', 'Yes', '--json')).output) as object
  expect(json).toMatchObject({ outcome: 'answered', event: { result: 'refused' }, why: 'only for members' })
  const silent = expect.stringMatching(/^ann clicks No in #general\n.*\n– refused: only for members\n$/) as string
  expect(await run('click', 'ann', 'No')).toEqual({ code: 3, output: silent })
  expect((await run('click', '--help')).output).toContain('A refusal of a guard is an answer')
})

test('a click on a message that is held names the end of the quiet hours, and the log names the channel', async () => {
  await run('say', 'ann', '/later')
  const { code, output } = await run('click', 'ann', 'Late')
  expect(output).toMatch(
    /^the message with the button "Late" is not in #general yet: it is held until \d{4}-\d\d-\d\d \d\d:00:00 UTC\S* \(quiet hours\); "framework clock" moves the time\n/,
  )
  expect([code, output.includes('ERR_CONFIG')]).toEqual([1, false])
  expect(dev.output()).toMatch(/a message to channel #general is held until/)
  await run('clock', '+3h')
  expect((await run('click', 'ann', 'Late')).code).toBe(0)
})
