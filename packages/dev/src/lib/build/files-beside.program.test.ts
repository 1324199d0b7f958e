import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { defaultWorld, startService } from '@botwright/service'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev, stop } from '../dev-process.test.fixture.ts'
import { startProduction } from '../production.test.fixture.ts'
import { type Person, startPerson } from '../test-person.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const files = {
  'package.json': '{"name":"beside","type":"module","version":"4.2.0"}',
  'bot.config.ts': `import { readFileSync } from 'node:fs'
import { defineConfig } from '@botwright/framework'
const help = readFileSync(new URL('assets/banner.txt', import.meta.url), 'utf8') === ''
export default defineConfig({ help, assets: ['more', 'notes/one.txt'] })`,
  'assets/banner.txt': 'the banner',
  'assets/words.json': '{"hi":"hello"}',
  'assets/moods/fine.txt': 'fine',
  'jokes/one.txt': 'one',
  'jokes/two.txt': 'two',
  'more/deep/far.txt': 'far',
  'notes/one.txt': 'noted',
  'commands/late.ts': `import { readFileSync } from 'node:fs'
import { join } from 'node:path'
export default () => readFileSync(join(import.meta.dirname, '../assets/banner.txt'), 'utf8')`,
  'commands/top.ts': `import { readFileSync } from 'node:fs'
const banner = readFileSync(new URL('../assets/banner.txt', import.meta.url), 'utf8')
export default () => banner`,
  'commands/list.ts': `import { readdirSync } from 'node:fs'
export default () => readdirSync(new URL('../jokes', import.meta.url)).sort().join()`,
  'commands/words.ts': `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
const { version } = require('../package.json') as { version: string }
export default () => (require('../assets/words.json') as { hi: string }).hi + version`,
  'commands/admin/deep.ts': `import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { read } from '../../texts/read.ts'
const here = path.dirname(fileURLToPath(import.meta.url))
export default () => readFileSync(path.resolve(here, '..', '..', 'assets', 'banner.txt'), 'utf8') + read('fine')`,
  'commands/mood.ts': `import { read } from '../texts/read.ts'
export default () => read('fine')`,
  'texts/read.ts': `import { readFileSync } from 'node:fs'
const { dirname } = import.meta
export const read = (mood: string): string => readFileSync(\`\${dirname}/../assets/moods/\${mood}.txt\`, 'utf8')`,
  'commands/more.ts': `import { readFileSync } from 'node:fs'
const places = ['../more/deep/far.txt', '../notes/one.txt']
export default () => places.map((place) => readFileSync(new URL(place, import.meta.url), 'utf8')).join()`,
  'commands/found.ts': `import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
const url = import.meta.resolve('../assets/banner.txt')
export default () => readFileSync(fileURLToPath(url), 'utf8') + import.meta.resolve('@botwright/framework').startsWith('file:')`,
  'commands/sum.ts': `import { Worker } from 'node:worker_threads'
export default () => new Promise<string>((resolve, reject) => {
  const worker = new Worker(new URL('../lib/sum.ts', import.meta.url), { workerData: [1, 2] })
  worker.once('message', (sum) => resolve(String(sum)))
  worker.once('error', reject)
})`,
  'commands/times.ts': `import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
const thread = new URL(/* ../lib/times.tsx */ \`../lib/times.tsx\`, import.meta.url)
const child = new URL('../lib/child.js', import.meta.url)
const module = fileURLToPath(new URL('../lib/product.js', import.meta.url))
const messageOf = (from: { once(name: 'message', take: (value: unknown) => void): unknown }) =>
  new Promise((resolve) => from.once('message', resolve))
export default async () => {
  const { product } = (await import(module)) as { product: string }
  return [await messageOf(new Worker(thread)), await messageOf(fork(fileURLToPath(child))), product].join()
}`,
  'lib/times.tsx': `import { parentPort } from 'node:worker_threads'
import { product } from './product.js'
parentPort!.postMessage(product as string)`,
  'lib/child.js': `import { product } from './product.js'
process.send(product, () => process.disconnect())`,
  'lib/product.js': `import { add } from './add.ts'
export const product = 'product' + add(2, 4)`,
  'lib/sum.ts': `import { parentPort, workerData } from 'node:worker_threads'
import { add } from './add.ts'
enum Kind { Sum = 'sum' }
parentPort!.postMessage(Kind.Sum + add(...(workerData as [number, number])))`,
  'lib/add.ts': 'export const add = (a: number, b: number): number => a + b',
}

const answers = {
  late: 'the banner',
  top: 'the banner',
  list: 'one.txt,two.txt',
  words: 'hello4.2.0',
  'admin deep': 'the bannerfine',
  mood: 'fine',
  more: 'far,noted',
  found: 'the bannertrue',
  sum: 'sum3',
  times: 'product6,product6,product6',
}

async function answersOf(person: Person): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const name of Object.keys(answers)) found[name] = await person.answerTo(`/${name}`)
  return found
}

test(
  'files beside the code are found in development and in production, where only the build is',
  { tags: ['all/processes'] },
  async () => {
    await using draft = await BotDraft.make(files)
    const dev = await startDev(draft)
    try {
      await expect.poll(dev.output).toMatch(/Chat +http/)
      await expect.poll(dev.output).toContain('/late')
      const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(dev.output())![0], 'ann')
      expect(await answersOf(ann)).toEqual(answers)
    } finally {
      await stop(dev)
    }
    const check = await draft.framework(['check'])
    expect(check.stdout).not.toContain('!')
    expect(check).toMatchObject({ code: 0 })
    expect(await draft.framework(['build'])).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('!') as string,
    })
    await using service = await startService({ port: 0, world: defaultWorld('beside', 'token-of-the-beside') })
    await using production = await startProduction(join(draft.root, 'dist'), {
      env: { BOT_TOKEN: 'token-of-the-beside', BOT_BASE_URL: service.base_url },
    })
    await expect.poll(production.log).toContain('is ready')
    expect(await answersOf(await startPerson(service.url, 'ann'))).toEqual(answers)
    expect(await production.stop()).toBe(0)
  },
)

test('check and build name what a build cannot contain, with file, line and fix', async () => {
  await using draft = await BotDraft.make({
    'bot/package.json': '{"type":"module"}',
    'shared/price.txt': '3',
    'bot/lib/tool.js': 'export const tool = 1',
    'bot/lib/typed.ts': 'export const typed: number = 1',
    'bot/commands/out.ts': `import { readFileSync } from 'node:fs'
export default () => readFileSync(new URL('../../shared/price.txt', import.meta.url), 'utf8')`,
    'bot/commands/run.ts': `import { fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
export default () => {
  fork(join(import.meta.dirname, '../lib/typed.ts'))
  return createRequire(import.meta.url)('../lib/tool.js')
}`,
  })
  await promisify(execFile)('ln', ['-s', join(draft.root, 'node_modules'), join(draft.root, 'bot/node_modules')])
  for (const command of ['check', 'build']) {
    const { code, stdout } = await draft.framework([command], {}, 'bot')
    expect(stdout).toContain('commands/out.ts:2:35')
    expect(stdout).toContain("../shared/price.txt is outside of the bot's folder")
    expect(stdout).toMatch(/commands\/run\.ts:5:8 .*lib\/typed\.ts is code.*new URL/)
    expect(stdout).toMatch(/commands\/run\.ts:6:10 .*lib\/tool\.js is code.*use import instead of require/)
    expect(code).toBe(1)
  }
})

test(
  'check and build warn about paths that are known only when the bot runs, and about missing files',
  slow,
  async () => {
    await using draft = await BotDraft.make({
      'lib/hidden/.secret/x.txt': 'x',
      'commands/some.ts': `import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
const here = import.meta.dirname
export default (ctx: { typed: string }) => {
  readFileSync(join(here, ctx.typed), 'utf8')
  readFileSync(new URL('../assets/none.txt', import.meta.url), 'utf8')
  readFileSync(join(here, '../lib/hidden/.secret/x.txt'), 'utf8')
  return readdirSync(here).join()
}`,
      'commands/run.ts': `import { fork } from 'node:child_process'
import { join } from 'node:path'
export default () => [fork(join(import.meta.dirname, '../lib/one.js')), fork(join(import.meta.dirname, '../lib/two.js'))]`,
      'commands/self.ts': `import { fork } from 'node:child_process'
import { Worker } from 'node:worker_threads'
export default () => [new Worker(new URL(import.meta.url)), fork(import.meta.filename)]`,
      'lib/one.js': "import 'node:fs'\nimport 'zod'",
      'lib/two.js': "import './one.js'\nimport './three.js'",
      'lib/three.js': '',
    })
    for (const command of ['check', 'build']) {
      const { code, stdout } = await draft.framework([command])
      expect(stdout).toContain('! commands/some.ts:5:16: the rest of this path is known only at run time')
      expect(stdout).toContain('! commands/some.ts:6:16: there is no assets/none.txt')
      expect(stdout).toContain('! commands/some.ts:7:16: a build does not contain lib/hidden/.secret/x.txt')
      expect(stdout).toContain('! commands/some.ts:8:22: commands contains code')
      expect(stdout).toContain(
        '! commands/run.ts:3:78: lib/two.js is copied as it is, and a build does not contain lib/three.js',
      )
      expect(stdout).not.toContain('lib/one.js is')
      for (const place of ['3:34', '3:66'])
        expect(stdout).toContain(`! commands/self.ts:${place}: a module cannot run itself`)
      expect(code).toBe(0)
    }
    await draft.write({ 'bot.config.ts': "export default { assets: ['nothing'] }" })
    for (const command of ['check', 'build'])
      expect((await draft.framework([command])).stdout).toContain('assets: there is no file or folder "nothing"')
  },
)

test('a build never contains .env', slow, async () => {
  await using draft = await BotDraft.make({
    '.env': 'SECRET=1',
    'data/.env': 'SECRET=2',
    'texts/.env': 'SECRET=3',
    'texts/a.txt': 'a',
    'bot.config.ts': "export default { assets: ['data', 'texts/a.txt'] }",
    'commands/a.ts': `import { readdirSync } from 'node:fs'
import { join } from 'node:path'
const texts = () => readdirSync(join(import.meta.dirname, '../texts')).join()
export default () => process.loadEnvFile(join(import.meta.dirname, '../.env')) ?? texts()`,
  })
  const { code, stdout } = await draft.framework(['build'])
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('! commands/a.ts:4:42: a build does not contain .env') as string,
  })
  const built = readdirSync(join(draft.root, 'dist'), { recursive: true }).map(String)
  expect(built).toContain(join('texts', 'a.txt'))
  expect(built.filter((file) => file.endsWith('.env'))).toEqual([])
  await draft.write({ 'bot.config.ts': "export default { assets: ['data/.env'] }" })
  expect((await draft.framework(['build'])).stdout).toContain(
    'assets: a build never contains data/.env; set its variables where the bot runs',
  )
})
