import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string
const loads = ((globalThis as { loads?: string[] }).loads = [])
const file = (name: string) =>
  `globalThis.loads.push('${name}' + (process.env.MOOD ?? ''))\nexport default () => '${name}'\n`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botwright-loads-'))
  for (const name of ['commands/one', 'commands/two', 'events/member_join']) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, `${name}.ts`), file(name.slice(name.indexOf('/') + 1)))
  }
})
afterAll(() => rm(folder, { recursive: true }))

async function loadedFor(text: string, env: Record<string, string> = {}): Promise<string[]> {
  loads.length = 0
  await using chat = await startTestBot(folder, { env })
  expect(await chat.person('ann').says(text)).toHaveReplied(text.slice(1))
  return [...loads].sort()
}

test('the first test of a bot loads all files, later tests only those that they use; other variables load all files again', async () => {
  const all = ['member_join', 'one', 'two']
  expect(await loadedFor('/one')).toEqual(all)
  expect(await loadedFor('/two')).toEqual(['member_join', 'two'])
  expect(await loadedFor('/two', { MOOD: '!' })).toEqual(all.map((name) => `${name}!`))
  await writeFile(join(folder, 'commands/two.ts'), `${file('two')}// changed\n`)
  expect(await loadedFor('/one', { MOOD: '!' })).toEqual(all.map((name) => `${name}!`))
})
