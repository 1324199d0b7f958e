// @module-tag all/runners
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { Timeline } from '@botwright/protocol/timeline'
import { afterAll, beforeAll, expect, test } from 'vitest'

// A bot with failing tests, run by a vitest of its own.

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))
let root: string
let output: string

const save = (file: string, text: string) => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'botwright-trace-'))
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'))
  save('package.json', '{"type":"module"}')
  save('commands/ping.ts', "export default () => 'pong'\n")
  save('commands/boom.ts', "export default () => {\n  throw new Error('no fuel')\n}\n")
  const imports = `import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { afterAll, beforeAll, expect, test } from 'vitest'
const options = { trace: 'on-failure' } as const
const folder = ${JSON.stringify(root)}
`
  save(
    'test/alone.test.ts',
    `${imports}
test('passes', async () => {
  await using chat = await startTestBot(folder, options)
  expect(await chat.person('ann').says('/ping')).toHaveReplied('pong')
})
test('👍', async () => {
  await using chat = await startTestBot(folder, options)
  expect(await chat.person('ann').says('/ping')).toHaveReplied('ping')
})
test('!', async () => {
  await using chat = await startTestBot(folder, options)
  expect(await chat.person('ann').says('/ping')).toHaveReplied('ping')
})
test('replies / with "another" word', async () => {
  await using chat = await startTestBot(folder, options)
  expect(await chat.person('ann').says('/ping')).toHaveReplied('ping')
})
`,
  )
  save(
    'test/shared.test.ts',
    `${imports}
let chat: Awaited<ReturnType<typeof startTestBot>>
beforeAll(async () => void (chat = await startTestBot(folder, options)))
afterAll(() => chat[Symbol.asyncDispose]())
test('one', async () => expect(await chat.person('ann').says('/ping')).toHaveReplied('pong'))
test('two', async () => void (await chat.person('ann').says('/boom')))
`,
  )
  const vitest = join(checkout, 'node_modules/vitest/vitest.mjs')
  const env = { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' }
  output = await new Promise((resolve) => {
    execFile(
      process.execPath,
      [vitest, 'run', '--root', root, '--testTimeout', '120000', '--hookTimeout', '120000'],
      { cwd: root, env },
      (_error, out, err) => resolve(`${out}\n${err}`),
    )
  })
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

const timelinesIn = (file: string): Timeline[] => {
  const html = readFileSync(file, 'utf8')
  const [, data = ''] = /<script id="data" type="text\/plain">([^<]*)</.exec(html) ?? []
  return JSON.parse(gunzipSync(Buffer.from(data, 'base64')).toString()) as Timeline[]
}

test('a failing test writes its timelines, and the output names the file', () => {
  expect(output).toContain('4 failed')
  const folder = join(root, '.botwright/timelines')
  expect(readdirSync(folder).sort()).toEqual([
    expect.stringMatching(/^alone-[\da-f]{8}\.html$/),
    expect.stringMatching(/^alone-[\da-f]{8}\.html$/),
    'alone-replies-with-another-word.html',
    'shared-two.html',
  ])
  for (const name of readdirSync(folder)) expect(output).toContain(`timeline of the bot: ${join(folder, name)}`)
})

test('the file has the steps of the events, with links to the code', () => {
  const [event] = timelinesIn(join(root, '.botwright/timelines/alone-replies-with-another-word.html'))
  expect(event).toMatchObject({ event: { title: '/ping' }, result: 'ok', file: 'commands/ping.ts' })
  expect(event!.steps.map(({ text }) => text)).toContain('reply “pong”')
})

test('a bot that several tests share has the events of all of them', () => {
  const events = timelinesIn(join(root, '.botwright/timelines/shared-two.html'))
  expect(events.map(({ event: { title }, result }) => [title, result])).toEqual([
    ['/ping', 'ok'],
    ['/boom', 'error'],
  ])
  expect(events[1]!.failure).toMatchObject({
    at: 'commands/boom.ts:2',
    link: `vscode://file${join(root, 'commands/boom.ts')}:2`,
  })
})
